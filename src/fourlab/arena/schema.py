"""The schema of the records, version by version, and the questions that span its tables.

Every row carries a seal, a checksum of its other columns: `seal` below is a function that
`records.py` gives to SQLite.
"""

SEALED = {
    "agents": ("id", "spec", "checksum"),
    "pairings": ("id", "game", "a", "b", "seed", "plies", "move_seconds", "fourlab", "started"),
    "games": (
        "pairing", "number", "result", "moves", "a_us", "b_us", "forfeit", "seed", "details"
    ),
    "runs": ("id", "settings", "started"),
}  # fmt: skip


def seal_of(table: str) -> str:
    """Return the SQL of what the seal of a row must be."""
    return f"seal({', '.join(f'{table}.{column}' for column in SEALED[table])})"


APPLICATION = 0x464F5552  # "FOUR", at a fixed place of the file

MIGRATIONS = (
    """
    CREATE TABLE agents (
        id INTEGER PRIMARY KEY, spec TEXT NOT NULL,
        checksum TEXT NOT NULL,  -- of the files it was loaded from, '' without
        UNIQUE (spec, checksum));
    CREATE TABLE pairings (
        id INTEGER PRIMARY KEY, game TEXT NOT NULL,
        a INTEGER NOT NULL REFERENCES agents, b INTEGER NOT NULL REFERENCES agents,
        seed INTEGER NOT NULL, plies INTEGER NOT NULL,
        move_seconds REAL NOT NULL,  -- 0: no limit given
        fourlab TEXT NOT NULL, started TEXT NOT NULL,
        UNIQUE (game, a, b, seed, plies, move_seconds));
    CREATE TABLE games (
        pairing INTEGER NOT NULL REFERENCES pairings, number INTEGER NOT NULL,
        result INTEGER NOT NULL,  -- of a, which is first player where number is even: 1, 0, -1
        moves TEXT NOT NULL, a_us INTEGER NOT NULL, b_us INTEGER NOT NULL, forfeit TEXT,
        PRIMARY KEY (pairing, number)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE runs (id INTEGER PRIMARY KEY, settings TEXT NOT NULL, started TEXT NOT NULL);
    """,
    """
    ALTER TABLE games ADD COLUMN seed INTEGER;
    ALTER TABLE games ADD COLUMN details TEXT;  -- JSON: what else is known of it
    """,
    ";\n".join(
        f"ALTER TABLE {table} ADD COLUMN seal INTEGER;\nUPDATE {table} SET seal = {seal_of(table)}"
        for table in SEALED
    ),
    """
    CREATE VIEW results AS  -- what people ask for: a line a game, seen by its first player
        SELECT pairing || '.' || number AS id, game,
            CASE number % 2 WHEN 0 THEN a.spec ELSE b.spec END AS first,
            CASE number % 2 WHEN 0 THEN b.spec ELSE a.spec END AS second,
            CASE result WHEN 2 THEN 'in progress' WHEN 0 THEN 'draw'
                WHEN 1 - number % 2 * 2 THEN 'first' ELSE 'second' END AS outcome,
            CASE result WHEN 1 THEN a.spec WHEN -1 THEN b.spec END AS winner,
            CASE result WHEN 2 THEN NULL
                ELSE (1 + (1 - number % 2 * 2) * result) / 2.0 END AS points,
            moves, plies, forfeit,
            CASE number % 2 WHEN 0 THEN a_us ELSE b_us END / 1e6 AS first_seconds,
            CASE number % 2 WHEN 0 THEN b_us ELSE a_us END / 1e6 AS second_seconds,
            coalesce(json_extract(details, '$.started'), started) AS started
        FROM games JOIN pairings p ON p.id = pairing
            JOIN agents a ON a.id = p.a JOIN agents b ON b.id = p.b
    """,
)

LISTING = f"""
    SELECT pairing, number, game, a.spec, a.checksum, b.spec, b.checksum, p.seed, plies, result,
        moves, a_us, b_us, forfeit, started, games.seed, details,
        games.seal IS {seal_of("games")}
    FROM games JOIN pairings p ON p.id = pairing JOIN agents a ON a.id = p.a
        JOIN agents b ON b.id = p.b
    WHERE {{where}} ORDER BY pairing DESC, number LIMIT ? OFFSET ?
"""  # noqa: S608  # names of columns, nothing from outside

SUMMARY = f"""
    SELECT game, a.spec, a.checksum, b.spec, b.checksum,
        sum(number % 2 = 0 AND result = 1), sum(number % 2 = 0 AND result = 0),
        sum(number % 2 = 0 AND result = -1), sum(number % 2 = 1 AND result = -1),
        sum(number % 2 = 1 AND result = 0), sum(number % 2 = 1 AND result = 1),
        sum(games.seal IS NOT {seal_of("games")})
    FROM games JOIN pairings p ON p.id = pairing JOIN agents a ON a.id = p.a
        JOIN agents b ON b.id = p.b
    WHERE (pairing, number) NOT IN (
        SELECT pairing, number FROM (
            SELECT pairing, number, row_number() OVER (
                PARTITION BY value, number ORDER BY pairing) AS nth
            FROM json_each(?) JOIN games ON pairing = CAST(key AS INTEGER))
        WHERE nth > 1)
    GROUP BY pairing
"""  # noqa: S608  # it takes `rows.same` as JSON

MEETINGS = """
    SELECT p.id, a.spec, a.checksum, b.spec, b.checksum, game, p.seed, plies, move_seconds
    FROM pairings p JOIN agents a ON a.id = p.a JOIN agents b ON b.id = p.b
    WHERE p.seed != ? ORDER BY p.id
"""
