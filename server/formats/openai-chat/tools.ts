// Tools of chat requests: functions, plain-text tools, the search option, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
} from '#server/formats/canonical.ts';
import { approximate, drop } from '#server/formats/extras.ts';
import {
  isObject,
  objectAt,
  objects,
  objectsAt,
  optionalBoolean,
  optionalText,
  text,
  textAt,
  withoutUndefined,
  type Json,
} from '#server/formats/json.ts';
import { customDescription, customParameters, type ToolNames } from '#server/formats/tool-names.ts';
import { decodeCache, encodeCache } from './parts.ts';

const noParameters = { type: 'object', properties: {} };

export function decodeTools(
  fields: Json,
  names: ToolNames,
  notes: ConversionNote[],
): CanonicalTool[] | undefined {
  const tools: CanonicalTool[] = [];
  if (fields['tools'] !== undefined && fields['tools'] !== null) {
    for (const [index, tool] of objectsAt(fields['tools'], 'tools').entries())
      tools.push(...decodeTool(tool, `tools[${index}]`, names));
  }
  if (fields['functions'] !== undefined && fields['functions'] !== null) {
    for (const [index, described] of objectsAt(fields['functions'], 'functions').entries())
      tools.push(decodeFunction(described, `functions[${index}]`, names));
    notes.push({
      field: 'functions',
      what: 'renamed',
      detail: 'functions are tools; calls come as tool calls',
    });
  }
  if (isObject(fields['web_search_options'])) {
    const config = fields['web_search_options'];
    tools.push({
      type: 'provider',
      origin: 'openai',
      kind: 'web_search',
      name: 'web_search_options',
      config,
    });
  }
  return tools.length === 0 && fields['tools'] === undefined ? undefined : tools;
}

function decodeTool(tool: Json, path: string, names: ToolNames): CanonicalTool[] {
  const { type } = tool;
  if (type === 'function' || (type === undefined && isObject(tool['function']))) {
    const described = objectAt(tool['function'], `${path}.function`);
    return [{ ...decodeFunction(described, `${path}.function`, names), ...decodeCache(tool) }];
  }
  if (type === 'custom') {
    const custom = objectAt(tool['custom'], `${path}.custom`);
    const description = optionalText(custom['description'], `${path}.custom.description`);
    return [
      {
        type: 'custom',
        ...names.fields(textAt(custom['name'], `${path}.custom.name`)),
        ...(description === undefined ? {} : { description }),
        ...(custom['format'] === undefined ? {} : { format: flatFormat(custom['format']) }),
      },
    ];
  }
  const name = textAt(type, `${path}.type`);
  return [{ type: 'provider', origin: 'openai', kind: kindOf(name), name, config: tool }];
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

function decodeFunction(described: Json, path: string, names: ToolNames): CanonicalTool {
  const description = optionalText(described['description'], `${path}.description`);
  const strict = optionalBoolean(described['strict'], `${path}.strict`);
  return {
    type: 'function',
    ...names.fields(textAt(described['name'], `${path}.name`)),
    ...(description === undefined ? {} : { description }),
    parameters: described['parameters'] ?? noParameters,
    ...(strict === undefined ? {} : { strict }),
  };
}

export function decodeToolChoice(fields: Json, names: ToolNames): CanonicalToolChoice | undefined {
  const choice = fields['tool_choice'] ?? fields['function_call'];
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (choice === 'any') return 'required';
  const described = objectAt(choice, 'tool_choice');
  const named = described['function'] ?? described['custom'];
  if (isObject(named)) return { name: names.of(textAt(named['name'], 'tool_choice.function.name')) };
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
  const encoded = request.tools?.flatMap((tool): Json[] => {
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
      const described = { name, description: customDescription(tool), parameters: customParameters };
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
    approximate(notes, 'tool_choice', `a list of allowed tools became ${choice.mode}`);
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
