// Tools of Responses requests: functions, plain-text tools, namespaces, OpenAI's own, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
  ProviderTool,
  ProviderToolKind,
} from '#server/formats/canonical.ts';
import { approximate, drop } from '#server/formats/extras.ts';
import {
  isObject,
  member,
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
import { isNamed, type ToolNames } from '#server/formats/tool-names.ts';

const noParameters = { type: 'object', properties: {} };

export function decodeTools(given: unknown, names: ToolNames): CanonicalTool[] | undefined {
  if (given === undefined || given === null) return undefined;
  return objectsAt(given, 'tools').flatMap((tool, index) => decodeTool(tool, `tools[${index}]`, names));
}

function decodeTool(tool: Json, path: string, names: ToolNames, namespace?: string): CanonicalTool[] {
  const type = textAt(tool['type'], `${path}.type`);
  const description = optionalText(tool['description'], `${path}.description`);
  const described = description === undefined ? {} : { description };
  switch (type) {
    case 'function': {
      const strict = optionalBoolean(tool['strict'], `${path}.strict`);
      return [
        {
          type,
          ...names.fields(textAt(tool['name'], `${path}.name`), namespace),
          ...described,
          parameters: tool['parameters'] ?? noParameters,
          ...(strict === undefined ? {} : { strict }),
        },
      ];
    }
    case 'custom': {
      const format = tool['format'] === undefined ? {} : { format: tool['format'] };
      return [
        { type, ...names.fields(textAt(tool['name'], `${path}.name`), namespace), ...described, ...format },
      ];
    }
    case 'namespace': {
      const name = textAt(tool['name'], `${path}.name`);
      return objectsAt(tool['tools'], `${path}.tools`).flatMap((inner, index) =>
        decodeTool(inner, `${path}.tools[${index}]`, names, name),
      );
    }
    default:
      return [{ type: 'provider', origin: 'openai', kind: kindOf(type), name: type, config: tool }];
  }
}

function kindOf(type: string): ProviderToolKind {
  if (type.startsWith('web_search')) return 'web_search';
  return type === 'code_interpreter' ? 'code_execution' : 'other';
}

export function decodeToolChoice(given: unknown, names: ToolNames): CanonicalToolChoice | undefined {
  if (given === undefined || given === null) return undefined;
  if (given === 'auto' || given === 'none' || given === 'required') return given;
  const choice = objectAt(given, 'tool_choice');
  switch (choice['type']) {
    case 'function':
    case 'custom': {
      const inner = choice['function'];
      const name = isObject(inner) ? inner['name'] : choice['name'];
      return {
        name: names.of(
          textAt(name, 'tool_choice.name'),
          optionalText(choice['namespace'], 'tool_choice.namespace'),
        ),
      };
    }
    case 'allowed_tools': {
      const allowed = objects(choice['tools']).flatMap((tool) =>
        typeof tool['name'] === 'string' ? [names.of(tool['name'])] : [],
      );
      return { allowed, mode: choice['mode'] === 'required' ? 'required' : 'auto' };
    }
    default:
      textAt(choice['type'], 'tool_choice.type');
      return { provider: choice, origin: 'openai' };
  }
}

export function encodeTools(request: CanonicalRequest, notes: ConversionNote[]): Json[] | undefined {
  const isOwn = request.format === 'openai-responses';
  const groups = new Map<string, Json[]>();
  const tools: Json[] = [];
  for (const tool of request.tools ?? []) {
    if (tool.type === 'provider') {
      tools.push(...encodeProviderTool(tool, notes));
      continue;
    }
    if (tool.cache !== undefined) drop(notes, 'cache_control', 'OpenAI decides by itself what it keeps');
    const name = isOwn ? (tool.givenName ?? tool.name) : tool.name;
    const { description } = tool;
    const encoded =
      tool.type === 'custom'
        ? withoutUndefined({ type: 'custom', name, description, format: tool.format })
        : // Absent means strict here, and not strict elsewhere.
          withoutUndefined({
            type: 'function',
            name,
            description,
            parameters: tool.parameters,
            strict: tool.strict ?? (isOwn ? undefined : false),
          });
    if (!isOwn || tool.namespace === undefined) tools.push(encoded);
    else grouped(groups, tools, tool.namespace, request).push(encoded);
  }
  return tools.length === 0 ? undefined : tools;
}

/** The namespace of a tool, as described by the caller. */
function grouped(
  groups: Map<string, Json[]>,
  tools: Json[],
  name: string,
  request: CanonicalRequest,
): Json[] {
  let group = groups.get(name);
  if (group === undefined) {
    groups.set(name, (group = []));
    const given = objects(request.source['tools']).find(
      (tool) => tool['type'] === 'namespace' && tool['name'] === name,
    );
    tools.push({ type: 'namespace', name, description: text(given?.['description']), tools: group });
  }
  return group;
}

function encodeProviderTool(tool: ProviderTool, notes: ConversionNote[]): Json[] {
  const field = `tools.${tool.name}`;
  if (tool.origin === 'openai') {
    if (tool.name !== 'web_search_options') return [tool.config];
    const { user_location: location, ...options } = tool.config;
    const place = member(member(location)['approximate']);
    const where = isObject(location) ? { user_location: { type: 'approximate', ...place } } : {};
    return [{ type: 'web_search', ...options, ...where }];
  }
  switch (tool.kind) {
    case 'web_search':
    case 'web_fetch': {
      approximate(notes, field, 'became OpenAI’s web search');
      const domains = tool.config['allowed_domains'];
      const filters = Array.isArray(domains) ? { filters: { allowed_domains: domains as unknown } } : {};
      const location = tool.config['user_location'];
      return [{ type: 'web_search', ...filters, ...(isObject(location) ? { user_location: location } : {}) }];
    }
    case 'code_execution':
      approximate(notes, field, 'became OpenAI’s code interpreter');
      return [{ type: 'code_interpreter', container: { type: 'auto' } }];
    default:
      drop(notes, field, 'a tool of another provider’s own');
      return [];
  }
}

export function encodeToolChoice(request: CanonicalRequest, notes: ConversionNote[]): unknown {
  const choice = request.toolChoice;
  if (choice === undefined || typeof choice === 'string') return choice;
  if ('name' in choice) return encodeNamed(request, choice.name);
  if ('allowed' in choice) {
    const tools = choice.allowed.map((name) => encodeNamed(request, name));
    return { type: 'allowed_tools', mode: choice.mode, tools };
  }
  if (choice.origin === 'openai') return choice.provider;
  approximate(notes, 'tool_choice', 'a tool of the provider’s own cannot be forced');
  return 'auto';
}

function encodeNamed(request: CanonicalRequest, name: string): Json {
  const tool = request.tools?.filter(isNamed).find((known) => known.name === name);
  const given = request.format === 'openai-responses' ? (tool?.givenName ?? name) : name;
  return { type: tool?.type === 'custom' ? 'custom' : 'function', name: given };
}
