// The shape of tollgate.yaml. Sections that the file does not have are left alone.
import { YAML } from 'bun';
import { z } from 'zod';
import { problemSentence } from '#contract/problem-words.ts';
import { GROUP_MAPS, PRICE_MAPS } from './maps.ts';
import { parseYaml, RepeatedKeyError } from '#server/platform/store/yaml.ts';

export const DOCUMENT_VERSION = 1;

const object = z.record(z.string(), z.unknown());
const ratio = z.number().min(0).max(1e9);

const channel = z.strictObject({
  name: z.string().min(1),
  /** The number or the name in contract/relay/channel-type.ts. */
  type: z.union([z.number().int(), z.string()]),
  key: z.string().optional(),
  base_url: z.string().optional(),
  other: z.string().optional(),
  models: z.array(z.string()),
  groups: z.array(z.string()).optional(),
  model_mapping: object.optional(),
  tag: z.string().optional(),
  priority: z.number().optional(),
  weight: z.number().optional(),
  setting: object.optional(),
  openai_organization: z.string().optional(),
  test_model: z.string().optional(),
  auto_ban: z.boolean().optional(),
  status_code_mapping: object.optional(),
  param_override: object.optional(),
  header_override: object.optional(),
  max_concurrency: z.number().optional(),
  /** The name of a supplier. */
  supplier: z.string().optional(),
  buy_price: object.optional(),
  enabled: z.boolean().optional(),
});
export type ChannelEntry = z.output<typeof channel>;

const supplier = z.strictObject({
  name: z.string().trim().min(1).max(100),
  buy_price: object.optional(),
});

const group = z.strictObject({
  /** A group without one has no calls; it may still have a price for top-ups. */
  ratio: ratio.optional(),
  description: z.string().max(200).optional(),
  top_up_ratio: ratio.optional(),
} satisfies Record<keyof typeof GROUP_MAPS, z.ZodType>);

const price = z.strictObject(
  Object.fromEntries(Object.keys(PRICE_MAPS).map((field) => [field, ratio.optional()])),
);

const document = z.strictObject({
  version: z.literal(DOCUMENT_VERSION),
  settings: object.optional(),
  groups: z.record(z.string().min(1).max(64), group).optional(),
  prices: z.record(z.string().min(1).max(255), price).optional(),
  suppliers: z.array(supplier).optional(),
  channels: z.array(channel).optional(),
  /** Checked by the schema of the API when they are applied. */
  virtual_models: z.array(z.looseObject({ name: z.string() })).optional(),
  /** Checked by the schema of the API when they are applied. */
  plans: z.array(z.looseObject({ name: z.string() })).optional(),
});
export type ConfigurationDocument = z.output<typeof document>;

/** One sentence for each fault, with the place in the file. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export function parseDocument(text: string): ConfigurationDocument {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw new ConfigurationError([error.message]);
    throw new ConfigurationError([
      `the file is not valid YAML: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
  const parsed = document.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    parsed.error.issues.map((issue) => `${placeOf(issue.path)}: ${problemSentence(issue, 'en')}`),
  );
}

export function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, part) =>
      typeof part === 'number'
        ? `${place}[${part}]`
        : place === ''
          ? String(part)
          : `${place}.${String(part)}`,
    '',
  );
}

export const formatDocument = (value: ConfigurationDocument): string => `${YAML.stringify(value, null, 2)}\n`;
