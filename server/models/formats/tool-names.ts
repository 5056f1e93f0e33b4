// Names and ids of tools that every format accepts. A name that some upstream would refuse is replaced in the request and
// restored in the answer by a map, never by parsing the replacement.
import type {
  CanonicalRequest,
  CanonicalTool,
  ConversionNote,
  CustomTool,
  FunctionTool,
} from './canonical.ts';
import { approximate } from './extras.ts';

type NamedTool = FunctionTool | CustomTool;

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const SAFE_ID = /^[A-Za-z0-9_-]{1,40}$/;
const LONGEST_NAME = 64;

const hashOf = (given: string): string => Bun.hash(given).toString(36);

/** Assigns a unique name to each of the caller's tools. */
export class ToolNames {
  readonly #safe = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** The safe name; equal for an equal name and namespace. */
  of(name: string, namespace?: string): string {
    const key = namespace === undefined ? name : `${namespace}\n${name}`;
    return this.#assign(key, namespace === undefined ? name : `${namespace}__${name}`);
  }

  /** The safe name of a tool that the caller's vendor names by its type, beside any function of that name. */
  ofOwn(type: string): string {
    return this.#assign(`\n${type}`, type);
  }

  #assign(key: string, whole: string): string {
    let safe = this.#safe.get(key);
    if (safe !== undefined) return safe;
    safe = SAFE_NAME.test(whole) && !this.#taken.has(whole) ? whole : shortened(whole, key);
    this.#safe.set(key, safe);
    this.#taken.add(safe);
    return safe;
  }

  /** The members of a tool derived from its name. */
  fields(name: string, namespace?: string): Pick<NamedTool, 'name' | 'givenName' | 'namespace'> {
    const safe = this.of(name, namespace);
    return {
      name: safe,
      ...(safe === name ? {} : { givenName: name }),
      ...(namespace === undefined ? {} : { namespace }),
    };
  }
}

function shortened(whole: string, key: string): string {
  const hash = hashOf(key);
  const legible = whole.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^[^A-Za-z_]/, '_');
  return `${legible.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`;
}

export const isNamed = (tool: CanonicalTool): tool is NamedTool => tool.type !== 'provider';

/** The tools the model may call now, for upstreams without a list of allowed tools; tools of providers are kept. */
export function allowedTools(
  { tools, toolChoice }: CanonicalRequest,
  notes: ConversionNote[],
): CanonicalTool[] | undefined {
  if (typeof toolChoice !== 'object' || !('allowed' in toolChoice)) return tools;
  approximate(notes, 'tool_choice', 'only the allowed tools are sent');
  const allowed = new Set(toolChoice.allowed);
  return tools?.filter((tool) => !isNamed(tool) || allowed.has(tool.name));
}

/** The caller's tool of a safe name. */
export function toolFinder(request: CanonicalRequest | undefined): (name: string) => NamedTool | undefined {
  const tools = request?.tools?.filter(isNamed) ?? [];
  if (tools.length === 0) return () => undefined;
  const found = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => found.get(name);
}

/** Restores the caller's name. */
export function nameGiver(request: CanonicalRequest | undefined): (name: string) => string {
  const tools = request?.tools?.filter((tool) => isNamed(tool) && tool.givenName !== undefined) ?? [];
  if (tools.length === 0) return (name) => name;
  const find = toolFinder(request);
  return (name) => find(name)?.givenName ?? name;
}

/** An id that every upstream accepts; equal ids stay equal, so results still match their calls. */
export function safeCallId(id: string): string {
  return SAFE_ID.test(id) ? id : `call_${hashOf(id)}`;
}

/** Describes a plain-text tool to an upstream with JSON tools only. */
export const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
} as const;

export function customDescription(tool: CustomTool): string | undefined {
  const format = tool.format;
  const grammar = typeof format === 'object' && format !== null ? JSON.stringify(format) : undefined;
  if (grammar === undefined || grammar === '{"type":"text"}') return tool.description;
  return `${tool.description ?? ''}\nThe input follows this format: ${grammar}`.trimStart();
}

export const wrapCustom = (input: string): string => JSON.stringify({ input });

/** The text inside the JSON of `CUSTOM_PARAMETERS`. */
export function unwrapCustom(given: string): string {
  try {
    const value = JSON.parse(given) as unknown;
    if (typeof value === 'object' && value !== null && 'input' in value && typeof value.input === 'string')
      return value.input;
  } catch {
    // Not JSON: the model wrote plain text.
  }
  return given;
}
