// A page that only says why there is nothing on it.

import { Frame, live } from "fourlab/kit.js";

export default {
  mixins: [live],
  components: { Frame },
  template: `<Frame page="" :keys="[]" @online="online = $event">
    <div class="empty"><h1>Not now</h1><p>{{ view.reason }}</p><a class="outline" href="/play">Try again</a></div></Frame>`,
};
