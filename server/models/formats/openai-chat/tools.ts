// Tools of chat requests: functions, plain-text tools, the search option, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { decodeCache, encodeCache } from '#server/models/formats/cache-control.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import { Fields } from '#server/models/formats/fields.ts';
import { isObject, objects, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  allowedTools,
  customDescription,
  CUSTOM_PARAMETERS,
  type ToolNames,
} from '#server/models/formats/tool-names.ts';

/** The older members (`functions`, `web_search_options`) pass unchanged to a chat upstream, so they are not counted as read. */
export function decodeTools(
  fields: Fields,
  names: ToolNames,
  notes: ConversionNote[],
): CanonicalTool[] | undefined {
  const tools = fields.optionalObjects('tools')?.map((tool) => decodeTool(tool, names)) ?? [];
  const { functions, web_search_options: config } = fields.source;
  for (const described of new Fields({ functions }, '', undefined, fields).optionalObjects('functions') ?? [])
    tools.push(decodeFunction(described, names));
  if (Array.isArray(functions)) {
    const detail = 'functions are tools; calls come as tool calls';
    notes.push({ field: 'functions', what: 'renamed', detail });
  }
  if (isObject(config))
    tools.push({
      type: 'provider',
      origin: 'openai',
      kind: 'web_search',
      name: 'web_search_options',
      config,
    });
  return tools.length === 0 && fields.source['tools'] === undefined ? undefined : tools;
}

function decodeTool(tool: Fields, names: ToolNames): CanonicalTool {
  const type = tool.get('type');
  if (type === 'function' || (type === undefined && isObject(tool.get('function'))))
    return { ...decodeFunction(tool.object('function'), names), ...decodeCache(tool) };
  if (type === 'custom') {
    const custom = tool.object('custom');
    const format = flatFormat(custom.get('format'));
    return withoutUndefined<CanonicalTool>({
      type,
      ...names.fields(custom.text('name')),
      description: custom.optionalText('description'),
      format,
    });
  }
  const name = tool.text('type');
  return { type: 'provider', origin: 'openai', kind: kindOf(name), name, config: tool.whole() };
}

export function kindOf(name: string): 'web_search' | 'code_execution' | 'other' {
  if (name.startsWith('web_search')) return 'web_search';
  return name === 'code_interpreter' ? 'code_execution' : 'other';
}

/** Chat has the grammar one level deeper than Responses. */
function flatFormat(format: unknown): unknown {
  return isObject(format) && isObject(format['grammar'])
    ? { type: format['type'], ...format['grammar'] }
    : format;
}

function deepFormat(format: unknown): unknown {
  if (!isObject(format) || format['type'] !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

const noParameters = { type: 'object', properties: {} };

/** A function of a chat or of Responses, where it may be in a namespace. */
export function decodeFunction(described: Fields, names: ToolNames, namespace?: string): CanonicalTool {
  return withoutUndefined<CanonicalTool>({
    type: 'function',
    ...names.fields(described.text('name'), namespace),
    description: described.optionalText('description'),
    parameters: described.get('parameters') ?? noParameters,
    strict: described.optionalBoolean('strict'),
  });
}

export function decodeToolChoice(fields: Fields, names: ToolNames): CanonicalToolChoice | undefined {
  const choice = fields.get('tool_choice') ?? fields.source['function_call'] ?? undefined;
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (choice === 'any') return 'required';
  const described = new Fields(choice, 'tool_choice').source;
  const named = described['function'] ?? described['custom'];
  if (isObject(named)) return { name: names.of(new Fields(named, 'tool_choice.function').text('name')) };
  if (described['type'] === 'allowed_tools') {
    const allowed = isObject(described['allowed_tools']) ? described['allowed_tools'] : described;
    const list = objects(allowed['tools']).map((tool) => {
      const inner = tool['function'] ?? tool['custom'];
      return names.of(text(isObject(inner) ? inner['name'] : tool['name']));
    });
    return { allowed: list, mode: allowed['mode'] === 'required' ? 'required' : 'auto' };
  }
  if (typeof described['name'] === 'string') return { name: names.of(described['name']) };
  return { provider: described, origin: 'openai' };
}

export function encodeTools(
  request: CanonicalRequest,
  keepsCache: boolean,
  notes: ConversionNote[],
): { tools?: Json[]; web_search_options?: Json } {
  const isOwn = request.format === 'openai-chat';
  const tools = isOwn ? request.tools : allowedTools(request, notes);
  const encoded = tools?.flatMap((tool): Json[] => {
    if (tool.type === 'function') {
      const { name, description, parameters, strict } = tool;
      const cache = keepsCache ? encodeCache(tool.cache) : {};
      return [
        { type: 'function', function: withoutUndefined({ name, description, parameters, strict }), ...cache },
      ];
    }
    if (tool.type === 'custom') {
      const { name, description } = tool;
      if (isOwn) {
        const format = deepFormat(tool.format);
        return [{ type: 'custom', custom: withoutUndefined({ name, description, format }) }];
      }
      approximate(notes, `tools.${tool.givenName ?? name}`, 'a tool of free text takes JSON with one text');
      const described = { name, description: customDescription(tool), parameters: CUSTOM_PARAMETERS };
      return [{ type: 'function', function: withoutUndefined(described) }];
    }
    if (isOwn && tool.name === 'web_search_options') return [];
    if (isOwn) return [tool.config];
    drop(notes, `tools.${tool.name}`, 'a tool of the provider’s own');
    return [];
  });
  return encoded === undefined || encoded.length === 0 ? {} : { tools: encoded };
}

export function encodeToolChoice(request: CanonicalRequest, notes: ConversionNote[]): unknown {
  const choice = request.toolChoice;
  if (choice === undefined || typeof choice === 'string') return choice;
  if ('name' in choice) return nameChoice(request, choice.name);
  if (request.format === 'openai-chat') {
    if ('provider' in choice) return choice.provider;
    const tools = choice.allowed.map((name) => nameChoice(request, name));
    return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } };
  }
  if ('allowed' in choice) {
    const [only] = choice.allowed;
    if (choice.allowed.length === 1 && choice.mode === 'required' && only !== undefined)
      return nameChoice(request, only);
    return choice.mode;
  }
  approximate(notes, 'tool_choice', 'a tool of the provider’s own cannot be forced');
  return 'auto';
}

function nameChoice(request: CanonicalRequest, name: string): Json {
  const isCustom =
    request.format === 'openai-chat' &&
    request.tools?.some((tool) => tool.type === 'custom' && tool.name === name) === true;
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
