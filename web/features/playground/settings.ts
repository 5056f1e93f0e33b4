/** The settings of the side panel, stored locally between visits. */
import { readToolDrafts, type ToolDraft } from './tools.ts';
import { readVariables, type Variables } from './variables.ts';

export const DEFAULT_MODEL = 'gpt-4o-mini';
export const TEMPERATURE = { min: 0.1, max: 1, step: 0.1, fallback: 0.5 } as const;
export const EXTENDED_TEMPERATURE = { min: 0, max: 2 } as const;

/** Sent only when switched on. */
export const EXTRAS = {
  top_p: { min: 0, max: 1, step: 0.05, fallback: 1 },
  frequency_penalty: { min: -2, max: 2, step: 0.1, fallback: 0 },
  presence_penalty: { min: -2, max: 2, step: 0.1, fallback: 0 },
  seed: { min: 0, max: 2_147_483_647, step: 1, fallback: 1 },
} as const;
export type ExtraName = keyof typeof EXTRAS;
export const EXTRA_NAMES = Object.keys(EXTRAS) as ExtraName[];

export const ANSWER_FORMATS = ['text', 'json', 'schema'] as const;
export const VERBOSITIES = ['low', 'medium', 'high'] as const;
export const MOST_PANES = 4;
export const PANE_LETTERS = ['A', 'B', 'C', 'D'] as const;

export interface PlaygroundSettings {
  /** One model, or up to four side by side. */
  models: readonly string[];
  group: string;
  temperature: number;
  isExtended: boolean;
  /** 0: not sent. */
  maxTokens: number;
  /** Undefined: the default in the language of the page. */
  system: string | undefined;
  extras: Partial<Record<ExtraName, number>>;
  /** Blank: not sent. */
  effort: string;
  verbosity: string;
  /** One stop sequence per line. */
  stop: string;
  tools: readonly ToolDraft[];
  format: (typeof ANSWER_FORMATS)[number];
  /** A JSON schema as text, for the format `schema`. */
  schema: string;
  variables: Variables;
  /** New conversations are kept on the server. */
  keepsOnServer: boolean;
}

export const defaultSettings = (): PlaygroundSettings => ({
  models: [DEFAULT_MODEL],
  group: '',
  temperature: TEMPERATURE.fallback,
  isExtended: false,
  maxTokens: 0,
  system: undefined,
  extras: {},
  effort: '',
  verbosity: '',
  stop: '',
  tools: [],
  format: 'text',
  schema: '',
  variables: {},
  keepsOnServer: false,
});

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Parses the stored settings; invalid values become defaults. */
export function readSettings(text: string | null): PlaygroundSettings {
  const base = defaultSettings();
  let kept: Partial<Record<keyof PlaygroundSettings, unknown>>;
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return base;
    kept = value;
  } catch {
    return base;
  }
  const models = Array.isArray(kept.models)
    ? kept.models.filter((model) => typeof model === 'string' && model !== '').slice(0, MOST_PANES)
    : [];
  const isExtended = kept.isExtended === true;
  const range = isExtended ? EXTENDED_TEMPERATURE : TEMPERATURE;
  const extras = typeof kept.extras === 'object' && kept.extras !== null ? kept.extras : {};
  return {
    models: models.length > 0 ? (models as string[]) : base.models,
    group: typeof kept.group === 'string' ? kept.group : '',
    isExtended,
    temperature: isNumber(kept.temperature)
      ? Math.min(range.max, Math.max(range.min, kept.temperature))
      : base.temperature,
    maxTokens: isNumber(kept.maxTokens) && kept.maxTokens > 0 ? Math.floor(kept.maxTokens) : 0,
    system: typeof kept.system === 'string' ? kept.system : undefined,
    extras: Object.fromEntries(
      EXTRA_NAMES.flatMap((name) => {
        const value = (extras as Record<string, unknown>)[name];
        return isNumber(value) ? [[name, value]] : [];
      }),
    ),
    effort: textOf(kept.effort, 20),
    verbosity: textOf(kept.verbosity, 20),
    stop: textOf(kept.stop, 2000),
    tools: readToolDrafts(kept.tools),
    format: ANSWER_FORMATS.find((format) => format === kept.format) ?? 'text',
    schema: textOf(kept.schema, 100_000),
    variables: readVariables(kept.variables),
    keepsOnServer: kept.keepsOnServer === true,
  };
}

const textOf = (value: unknown, most: number): string =>
  typeof value === 'string' && value.length <= most ? value : '';

/** Settings stored under a name, parsed as above. */
export function readPreset(value: unknown): PlaygroundSettings | undefined {
  return typeof value === 'object' && value !== null ? readSettings(JSON.stringify(value)) : undefined;
}

/** Clamps the value when the wider range is switched off. */
export function withRange(settings: PlaygroundSettings, isExtended: boolean): PlaygroundSettings {
  const { min, max } = isExtended ? EXTENDED_TEMPERATURE : TEMPERATURE;
  return { ...settings, isExtended, temperature: Math.min(max, Math.max(min, settings.temperature)) };
}
