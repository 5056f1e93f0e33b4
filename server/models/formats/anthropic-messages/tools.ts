// Tools of Anthropic's requests: the caller's, the server's, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
  ProviderTool,
  ProviderToolKind,
} from '#server/models/formats/canonical.ts';
import { decodeCache, encodeCache } from '#server/models/formats/cache-control.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import type { Fields } from '#server/models/formats/fields.ts';
import {
  FormatError,
  isObject,
  list,
  member,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import { noteToolOptions } from '#server/models/formats/requested-part-features.ts';
import {
  allowedTools,
  customDescription,
  CUSTOM_PARAMETERS,
  type ToolNames,
} from '#server/models/formats/tool-names.ts';

export function decodeTools(fields: Fields, names: ToolNames): CanonicalTool[] | undefined {
  return fields.optionalObjects('tools')?.map((tool) => decodeTool(tool, names));
}

function decodeTool(tool: Fields, names: ToolNames): CanonicalTool {
  const type = tool.optionalText('type') ?? 'custom';
  const cache = decodeCache(tool);
  if (type !== 'custom')
    return {
      type: 'provider',
      origin: 'anthropic',
      kind: kindOf(type),
      name: type,
      config: tool.whole(),
      ...cache,
    };
  return withoutUndefined<CanonicalTool>({
    type: 'function',
    ...names.fields(tool.text('name')),
    description: tool.optionalText('description'),
    parameters: tool.object('input_schema').whole(),
    strict: tool.optionalBoolean('strict'),
    ...cache,
  });
}

function kindOf(type: string): ProviderToolKind {
  if (type.startsWith('web_search')) return 'web_search';
  if (type.startsWith('web_fetch')) return 'web_fetch';
  return type.startsWith('code_execution') ? 'code_execution' : 'other';
}

export interface DecodedChoice {
  toolChoice?: CanonicalToolChoice;
  parallelToolCalls?: boolean;
}

export function decodeToolChoice(choice: Fields | undefined, names: ToolNames): DecodedChoice {
  if (choice === undefined) return {};
  const isSingle = choice.optionalBoolean('disable_parallel_tool_use');
  const parallel = isSingle === undefined ? {} : { parallelToolCalls: !isSingle };
  switch (choice.get('type')) {
    case 'auto':
      return { toolChoice: 'auto', ...parallel };
    case 'any':
      return { toolChoice: 'required', ...parallel };
    case 'none':
      return { toolChoice: 'none', ...parallel };
    case 'tool':
      return { toolChoice: { name: names.of(choice.text('name')) }, ...parallel };
    default:
      throw new FormatError(choice.at('type'), 'one of auto, any, tool, none');
  }
}

/** The allowed tools: Anthropic has no list of allowed tools, so the others are left out. */
export function encodeTools(
  request: CanonicalRequest,
  hasSchemas: boolean,
  notes: ConversionNote[],
): Json[] | undefined {
  const tools = allowedTools(request, notes)?.flatMap((tool) =>
    tool.type === 'provider' ? encodeProviderTool(tool, notes) : [encodeTool(tool, hasSchemas, notes)],
  );
  return tools === undefined || tools.length === 0 ? undefined : tools;
}

function encodeTool(
  tool: Exclude<CanonicalTool, ProviderTool>,
  hasSchemas: boolean,
  notes: ConversionNote[],
): Json {
  const cache = encodeCache(tool.cache);
  if (tool.type === 'custom') {
    approximate(
      notes,
      `tools.${tool.givenName ?? tool.name}`,
      'a tool of free text takes JSON with one text',
    );
    const { name } = tool;
    return withoutUndefined({
      name,
      description: customDescription(tool),
      input_schema: CUSTOM_PARAMETERS,
      ...cache,
    });
  }
  const { name, description, strict } = tool;
  if (strict === true && !hasSchemas) drop(notes, 'tools.strict', 'this model has no strict tools');
  return withoutUndefined({
    name,
    description,
    input_schema: { type: 'object', ...member(tool.parameters) },
    strict: strict === true && hasSchemas ? true : undefined,
    ...cache,
  });
}

function encodeProviderTool(tool: ProviderTool, notes: ConversionNote[]): Json[] {
  if (tool.origin === 'anthropic') return [tool.config];
  const field = `tools.${tool.name}`;
  switch (tool.kind) {
    case 'web_search':
      approximate(notes, field, 'became Anthropic’s web search');
      noteToolOptions(tool, searchOptionNames, notes);
      return [{ type: 'web_search_20250305', name: 'web_search', ...searchOptions(tool.config) }];
    case 'web_fetch':
      approximate(notes, field, 'became Anthropic’s web fetch');
      noteToolOptions(tool, [], notes);
      return [{ type: 'web_fetch_20250910', name: 'web_fetch' }];
    case 'code_execution':
      approximate(notes, field, 'became Anthropic’s code execution');
      noteToolOptions(tool, [], notes);
      return [{ type: 'code_execution_20250825', name: 'code_execution' }];
    default:
      drop(notes, field, 'a tool of another provider’s own');
      return [];
  }
}

const PLACES = ['city', 'country', 'region', 'timezone'];
const searchOptionNames = [
  'filters.allowed_domains',
  ...PLACES.flatMap((place) => [`user_location.${place}`, `user_location.approximate.${place}`]),
];

function searchOptions(config: Json): Json {
  const domains = list(member(config['filters'])['allowed_domains']);
  const place = member(config['user_location']);
  const location = isObject(place['approximate']) ? place['approximate'] : place;
  const { city, country, region, timezone } = location;
  const hasPlace = [city, country, region, timezone].some((value) => text(value) !== '');
  return {
    ...(domains.length === 0 ? {} : { allowed_domains: domains }),
    ...(hasPlace
      ? { user_location: withoutUndefined({ type: 'approximate', city, country, region, timezone }) }
      : {}),
  };
}

export function encodeToolChoice(
  request: CanonicalRequest,
  isThinking: boolean,
  notes: ConversionNote[],
): Json | undefined {
  const single = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const choice = request.toolChoice;
  if (choice === undefined)
    return request.parallelToolCalls === false ? { type: 'auto', ...single } : undefined;
  if (choice === 'none') return { type: 'none' };
  const encoded = choiceOf(choice, notes);
  if (isThinking && encoded['type'] !== 'auto') {
    approximate(notes, 'tool_choice', 'a model that thinks cannot be forced to call');
    return { type: 'auto', ...single };
  }
  return { ...encoded, ...single };
}

function choiceOf(choice: Exclude<CanonicalToolChoice, 'none'>, notes: ConversionNote[]): Json {
  if (choice === 'auto') return { type: 'auto' };
  if (choice === 'required') return { type: 'any' };
  if ('name' in choice) return { type: 'tool', name: choice.name };
  if ('allowed' in choice) return { type: choice.mode === 'required' ? 'any' : 'auto' };
  approximate(notes, 'tool_choice', 'a tool of the provider’s own cannot be forced');
  return { type: 'auto' };
}
