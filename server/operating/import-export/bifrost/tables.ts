// The governance of Bifrost: customers, teams, virtual keys, budgets and rate limits, from its database or from `governance` of its
// config.json. Both have the same names; the file may also nest budgets.
import { z } from 'zod';
import { Fields } from '#server/operating/import-export/source/fields.ts';
import { SourceError, type Source, type SourceRow } from '#server/operating/import-export/source/source.ts';

const TABLES = {
  customers: 'governance_customers',
  teams: 'governance_teams',
  virtual_keys: 'governance_virtual_keys',
  budgets: 'governance_budgets',
  rate_limits: 'governance_rate_limits',
} as const;
const PROVIDER_TABLE = 'governance_virtual_key_provider_configs';

/** Of a dump only these are read. */
export const BIFROST_TABLES = [...Object.values(TABLES), PROVIDER_TABLE];

export interface Governance {
  customers: Fields[];
  teams: Fields[];
  keys: Fields[];
  budgets: Fields[];
  rateLimits: Map<string, Fields>;
  /** By virtual key: which providers and models it may use. */
  providers: Map<string, Fields[]>;
}

export async function isBifrost(source: Source): Promise<boolean> {
  return (await source.columns(TABLES.virtual_keys)).size > 0;
}

export async function readDatabase(source: Source): Promise<Governance> {
  const rowsOf = async (table: string): Promise<SourceRow[]> =>
    (await source.columns(table)).size === 0 ? [] : await source.all(table);
  return governanceOf({
    customers: await rowsOf(TABLES.customers),
    teams: await rowsOf(TABLES.teams),
    virtual_keys: await rowsOf(TABLES.virtual_keys),
    budgets: await rowsOf(TABLES.budgets),
    rate_limits: await rowsOf(TABLES.rate_limits),
    providers: await rowsOf(PROVIDER_TABLE),
  });
}

const objects = z
  .array(z.record(z.string(), z.unknown()))
  .nullish()
  .transform((list) => list ?? []);
const file = z.object({
  governance: z.object({
    customers: objects,
    teams: objects,
    virtual_keys: objects,
    budgets: objects,
    rate_limits: objects,
  }),
});

const OWNERS = { customers: 'customer_id', teams: 'team_id', virtual_keys: 'virtual_key_id' } as const;

/** Throws when the text is no configuration of Bifrost with a governance. */
export function readBifrostFile(text: string): Governance {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new SourceError(`the file is not valid JSON: ${String(error)}`, { cause: error });
  }
  const parsed = file.safeParse(document);
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new SourceError(
      `the file is not a configuration of Bifrost with a governance: ${place} cannot be read.`,
    );
  }
  const { governance } = parsed.data;
  const budgets = [...governance.budgets];
  for (const [list, owner] of Object.entries(OWNERS) as [keyof typeof OWNERS, string][])
    for (const row of governance[list])
      budgets.push(...listOf(row['budgets']).map((budget) => ({ ...budget, [owner]: row['id'] })));
  const providers = governance.virtual_keys.flatMap((row) =>
    listOf(row['provider_configs']).map((provider) => ({ ...provider, virtual_key_id: row['id'] })),
  );
  return governanceOf({ ...governance, budgets, providers });
}

const listOf = (value: unknown): SourceRow[] =>
  Array.isArray(value)
    ? value.filter((item): item is SourceRow => typeof item === 'object' && item !== null)
    : [];

function governanceOf(rows: Record<keyof typeof TABLES | 'providers', SourceRow[]>): Governance {
  const fields = (name: keyof typeof rows) => rows[name].map((row) => new Fields(row));
  return {
    customers: fields('customers'),
    teams: fields('teams'),
    keys: fields('virtual_keys'),
    budgets: fields('budgets'),
    rateLimits: new Map(fields('rate_limits').map((row) => [row.text('id'), row])),
    providers: Map.groupBy(fields('providers'), (row) => row.text('virtual_key_id')),
  };
}
