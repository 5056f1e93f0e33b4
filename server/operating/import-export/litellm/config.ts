// LiteLLM's configuration file: the models with their upstreams, and the master key.
import { parseYaml, RepeatedKeyError } from '#server/platform/store/yaml.ts';
import { z } from 'zod';
import { SourceError } from '#server/operating/import-export/source/source.ts';
import { settingsOf, type LiteLlmSettings } from './settings.ts';

/** A number that cannot be read makes its entry unreadable: a price or weight that is dropped would change what is charged. */
const number = z
  .union([z.number(), z.string().trim().min(1).transform(Number)])
  .pipe(z.number().min(0).max(Number.MAX_SAFE_INTEGER))
  .nullish()
  .transform((value) => value ?? undefined);
const text = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);

const prices = {
  input_cost_per_token: number,
  output_cost_per_token: number,
  cache_read_input_token_cost: number,
  cache_creation_input_token_cost: number,
  input_cost_per_request: number,
};

const entry = z.object({
  model_name: z.string(),
  litellm_params: z.object({
    model: z.string(),
    custom_llm_provider: text,
    api_key: text,
    api_base: text,
    base_url: text,
    api_version: text,
    organization: text,
    weight: number,
    order: number,
    max_parallel_requests: number,
    aws_access_key_id: text,
    aws_secret_access_key: text,
    aws_region_name: text,
    vertex_credentials: z
      .union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
      .optional(),
    vertex_location: text,
    ...prices,
  }),
  model_info: z.object(prices).nullish(),
});
export type LiteLlmModel = z.output<typeof entry>;

const configuration = z.object({
  model_list: z.array(z.unknown()).default([]),
  general_settings: z.object({ master_key: text }).optional().catch(undefined),
});

export interface LiteLlmConfiguration {
  models: LiteLlmModel[];
  /** Entries that cannot be read, by their place in the list. */
  unreadable: { index: number; reason: string }[];
  masterKey: string | undefined;
  settings: LiteLlmSettings;
}

export function readLiteLlmConfiguration(content: string): LiteLlmConfiguration {
  let document: unknown;
  try {
    document = parseYaml(content);
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw new SourceError(`${error.message}.`, { cause: error });
    throw new SourceError(`the file is not valid YAML: ${String(error)}`, { cause: error });
  }
  const parsed = configuration.safeParse(document);
  if (!parsed.success)
    throw new SourceError('the file is not a configuration of LiteLLM: it has no model_list.');
  const models: LiteLlmModel[] = [];
  const unreadable: LiteLlmConfiguration['unreadable'] = [];
  for (const [index, item] of parsed.data.model_list.entries()) {
    const model = entry.safeParse(item);
    if (model.success) models.push(model.data);
    else unreadable.push({ index, reason: model.error.issues[0]?.path.join('.') ?? 'not an object' });
  }
  return {
    models,
    unreadable,
    masterKey: parsed.data.general_settings?.master_key,
    settings: settingsOf(document),
  };
}

/** `os.environ/NAME` stands for a variable of the environment; undefined when it is not set. */
export function resolveVariable(
  value: string | undefined,
  variables: Record<string, string | undefined>,
): string | undefined {
  const name = /^os\.environ\/(\w+)$/.exec(value ?? '')?.[1];
  return name === undefined ? (value ?? '') : variables[name];
}

export const variableOf = (value: string | undefined): string => (value ?? '').replace(/^os\.environ\//, '');
