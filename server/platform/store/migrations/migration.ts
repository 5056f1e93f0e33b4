// What a migration is, and the few words in which the two dialects differ.
import { sql, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely } from 'kysely';

export type DialectName = 'sqlite' | 'postgres';

/** A migration knows only the tables of its own time, never the current schema types. */
export type MigrationDatabase = Kysely<Record<string, Record<string, unknown>>>;

export interface Migration {
  /** `0001-initial`: the order of the list is the order of the numbers. Never renamed, never edited once released. */
  name: string;
  up(db: MigrationDatabase, dialect: DialectName): Promise<void>;
  /**
   * On PostgreSQL it runs outside a transaction, as `create index concurrently` must. It may be cut anywhere and run again, so
   * each of its statements must be repeatable.
   */
  isOnline?: true;
}

/** How long calls may queue behind a migration that waits for a table. */
export const LOCK_TIMEOUT_MS = 900;

/** The largest integer a JavaScript number holds exactly; money beyond it is refused by the database. */
export const LARGEST_AMOUNT = Number.MAX_SAFE_INTEGER;

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

type Table = CreateTableBuilder<string, string>;

/** Names a table and its columns without a wall of builder calls; everything is NOT NULL unless it says `nullable`. */
export class TableMaker {
  #builder: Table;
  readonly #dialect: DialectName;
  readonly #name: string;

  constructor(db: MigrationDatabase, dialect: DialectName, name: string) {
    this.#builder = db.schema.createTable(name);
    this.#dialect = dialect;
    this.#name = name;
  }

  #add(name: string, type: 'integer' | 'text' | 'real', modify: Column): this {
    const typeText = {
      integer: this.#dialect === 'sqlite' ? 'integer' : 'bigint',
      text: 'text',
      real: this.#dialect === 'sqlite' ? 'real' : 'double precision',
    }[type];
    this.#builder = this.#builder.addColumn(name, sql.raw(typeText), modify);
    return this;
  }

  #constrain(suffix: string, condition: string): this {
    this.#builder = this.#builder.addCheckConstraint(`${this.#name}_${suffix}`, sql.raw(condition));
    return this;
  }

  /** A number the database assigns and never gives out twice. */
  id(): this {
    if (this.#dialect === 'sqlite')
      return this.#add('id', 'integer', (column) => column.primaryKey().autoIncrement().notNull());
    return this.#add('id', 'integer', (column) =>
      column.generatedByDefaultAsIdentity().primaryKey().notNull(),
    );
  }

  text(...names: string[]): this {
    for (const name of names) this.#add(name, 'text', (column) => column.notNull().defaultTo(''));
    return this;
  }

  textWith(name: string, initial: string): this {
    return this.#add(name, 'text', (column) => column.notNull().defaultTo(initial));
  }

  /** Text that every insert must name. */
  requiredText(...names: string[]): this {
    for (const name of names) this.#add(name, 'text', (column) => column.notNull());
    return this;
  }

  uniqueText(name: string): this {
    return this.#add(name, 'text', (column) => column.notNull().unique());
  }

  nullableText(...names: string[]): this {
    for (const name of names) this.#add(name, 'text', (column) => column);
    return this;
  }

  nullableUniqueText(name: string): this {
    return this.#add(name, 'text', (column) => column.unique());
  }

  integer(name: string, initial = 0): this {
    return this.#add(name, 'integer', (column) => column.notNull().defaultTo(initial));
  }

  integers(...names: string[]): this {
    for (const name of names) this.integer(name);
    return this;
  }

  /** An integer that every insert must name. */
  requiredIntegers(...names: string[]): this {
    for (const name of names) this.#add(name, 'integer', (column) => column.notNull());
    return this;
  }

  nullableIntegers(...names: string[]): this {
    for (const name of names) this.#add(name, 'integer', (column) => column);
    return this;
  }

  real(name: string): this {
    return this.#add(name, 'real', (column) => column.notNull().defaultTo(0));
  }

  /** A quantity that is never negative and always an exact number. */
  amounts(...names: string[]): this {
    for (const name of names)
      this.integer(name).#constrain(`${name}_range`, `"${name}" between 0 and ${LARGEST_AMOUNT}`);
    return this;
  }

  flags(...names: string[]): this {
    for (const name of names) this.flag(name, 0);
    return this;
  }

  flag(name: string, initial: 0 | 1): this {
    return this.integer(name, initial).#constrain(`${name}_flag`, `"${name}" in (0, 1)`);
  }

  oneOf(name: string, values: readonly (number | string)[], initial: number | string): this {
    const list = values.map((value) => (typeof value === 'number' ? String(value) : `'${value}'`)).join(', ');
    if (typeof initial === 'number') this.integer(name, initial);
    else this.textWith(name, initial);
    return this.#constrain(`${name}_known`, `"${name}" in (${list})`);
  }

  check(suffix: string, condition: string): this {
    return this.#constrain(suffix, condition);
  }

  primaryKey(...names: string[]): this {
    this.#builder = this.#builder.addPrimaryKeyConstraint(`${this.#name}_primary`, names);
    return this;
  }

  async create(): Promise<void> {
    // STRICT makes SQLite refuse a text in an integer column, as PostgreSQL does.
    const builder = this.#dialect === 'sqlite' ? this.#builder.modifyEnd(sql`strict`) : this.#builder;
    await builder.execute();
  }
}

export async function index(
  db: MigrationDatabase,
  table: string,
  columns: readonly string[],
  unique = false,
): Promise<void> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  await sql
    .raw(`create ${unique ? 'unique ' : ''}index "${table}_${columns.join('_')}" on "${table}" (${list})`)
    .execute(db);
}

/**
 * An index on a table of any size, without holding up writes; for migrations with `isOnline`. PostgreSQL cannot do so for a
 * table of partitions as a whole: each partition gets its own, and they are joined.
 */
export async function onlineIndex(
  db: MigrationDatabase,
  dialect: DialectName,
  { table, name, on }: { table: string; name: string; on: string },
): Promise<void> {
  const run = async (text: string) => await sql.raw(text).execute(db);
  if (dialect === 'sqlite') {
    await run(`create index if not exists "${name}" on "${table}" ${on}`);
    return;
  }
  const { rows: parts } = await sql<{ part: string }>`
    select inhrelid::regclass::text as part from pg_inherits where inhparent = ${table}::regclass`.execute(
    db,
  );
  for (const { part, index: indexName } of parts.length === 0
    ? [{ part: table, index: name }]
    : parts.map(({ part: partName }) => ({ part: partName, index: `${partName}_${name}` }))) {
    // What a cut run left behind is not valid and would never be used.
    const { rows: broken } = await sql`
      select 1 from pg_index where indexrelid = to_regclass(${indexName}) and not indisvalid`.execute(db);
    if (broken.length > 0) await run(`drop index concurrently "${indexName}"`);
    await run(`create index concurrently if not exists "${indexName}" on "${part}" ${on}`);
  }
  if (parts.length === 0) return;
  // The partitions have it already: nothing is built while the table is locked. Only this step can make calls wait; the steps
  // above wait for long transactions without holding anything up.
  await run(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await run(`create index if not exists "${name}" on "${table}" ${on}`);
  } finally {
    await run('reset lock_timeout');
  }
}

/** Unique, ignoring case. */
export async function uniqueIgnoringCase(
  db: MigrationDatabase,
  table: string,
  column: string,
): Promise<void> {
  await sql
    .raw(`create unique index "${table}_${column}_unique" on "${table}" (lower("${column}"))`)
    .execute(db);
}

/** Unique among the rows for which the condition holds. */
export async function uniqueWhere(
  db: MigrationDatabase,
  table: string,
  column: string,
  condition: string,
): Promise<void> {
  await sql
    .raw(`create unique index "${table}_${column}_unique" on "${table}" ("${column}") where ${condition}`)
    .execute(db);
}

/** Rows can be added; triggers refuse to change or delete one. */
export async function appendOnly(db: MigrationDatabase, dialect: DialectName, table: string): Promise<void> {
  const message = `${table} is append-only`;
  if (dialect === 'sqlite') {
    for (const action of ['update', 'delete']) {
      await sql
        .raw(
          `create trigger "${table}_no_${action}" before ${action} on "${table}" begin select raise(abort, '${message}'); end`,
        )
        .execute(db);
    }
    return;
  }
  await sql
    .raw(
      `create function "${table}_refuse"() returns trigger language plpgsql as ` +
        `$body$ begin raise exception '${message}' using errcode = 'restrict_violation'; end $body$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger "${table}_no_change" before update or delete on "${table}" for each row execute function "${table}_refuse"()`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger "${table}_no_truncate" before truncate on "${table}" for each statement execute function "${table}_refuse"()`,
    )
    .execute(db);
}

/** SQLite cannot change the definition of a table in place: a copy takes its place, its indexes and triggers. */
export async function rebuildTable(
  db: MigrationDatabase,
  table: string,
  change: (definition: string) => string,
): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null order by rowid`.execute(
    db,
  );
  const copy = `${table}_copy`;
  const definition = rows.find(({ type }) => type === 'table')?.sql ?? '';
  await sql.raw(change(definition).replace(`"${table}"`, `"${copy}"`)).execute(db);
  await sql.raw(`insert into "${copy}" select * from "${table}" order by id`).execute(db);
  await sql.raw(`drop table "${table}"`).execute(db);
  await sql.raw(`alter table "${copy}" rename to "${table}"`).execute(db);
  for (const { type, sql: text } of rows) if (type !== 'table') await sql.raw(text).execute(db);
}
