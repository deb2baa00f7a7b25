/* An engine of my own: reads lines, answers lines; docs/engines.md has the protocol.

   Compile it       cc -O2 -o my_engine {file}
   Is it sound?     fourlab check engine:./my_engine
   How good?        fourlab arena engine:./my_engine random baseline
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7, ROWS = 6 };

int main(void) {
    char line[1024];
    int height[COLUMNS] = {0};

    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "fourlab", 7) == 0) {
            printf("id name {file}\nready\n");
        } else if (strncmp(line, "game ", 5) == 0) {
            if (strncmp(line, "game columns 7 rows 6 ", 22) != 0)
                printf("error I play on 7 columns and 6 rows\n");
        } else if (strncmp(line, "isready", 7) == 0) {
            printf("readyok\n");
        } else if (strncmp(line, "position", 8) == 0) {
            memset(height, 0, sizeof height);
            for (char *c = line + 8; *c; c++)      /* all moves so far, columns from 1 */
                if (*c >= '1' && *c <= '0' + COLUMNS) height[*c - '1']++;
        } else if (strncmp(line, "seed ", 5) == 0) {
            srand((unsigned)strtoull(line + 5, NULL, 10));
        } else if (strncmp(line, "go", 2) == 0) {
            int column;
            do column = rand() % COLUMNS; while (height[column] == ROWS);
            printf("bestmove %d\n", column + 1);
        } else if (strncmp(line, "quit", 4) == 0) {
            return 0;
        }
        fflush(stdout);
    }
    return 0;
}
