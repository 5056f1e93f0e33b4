// Tools of Responses requests: functions, plain-text tools, namespaces, OpenAI's own, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
  ProviderTool,
} from '#server/models/formats/canonical.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import { Fields } from '#server/models/formats/fields.ts';
import { isObject, member, objects, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { decodeFunction, kindOf } from '#server/models/formats/openai-chat/tools.ts';
import { noteToolOptions } from '#server/models/formats/requested-part-features.ts';
import { isNamed, type ToolNames } from '#server/models/formats/tool-names.ts';
import { clientToolOf, decodeClientTool } from './client-tools.ts';

export function decodeTools(fields: Fields, names: ToolNames): CanonicalTool[] | undefined {
  return fields.optionalObjects('tools')?.flatMap((tool) => decodeTool(tool, names));
}

export function decodeTool(tool: Fields, names: ToolNames, namespace?: string): CanonicalTool[] {
  const type = tool.text('type');
  switch (type) {
    case 'function':
      return [decodeFunction(tool, names, namespace)];
    case 'custom':
      return [
        withoutUndefined<CanonicalTool>({
          type,
          ...names.fields(tool.text('name'), namespace),
          description: tool.optionalText('description'),
          format: tool.get('format'),
        }),
      ];
    case 'namespace': {
      const name = tool.text('name');
      const namespaceDescription = tool.optionalText('description');
      const tools = tool.objects('tools').flatMap((inner) => decodeTool(inner, names, name));
      return tools.map((inner) =>
        withoutUndefined<CanonicalTool>(isNamed(inner) ? { ...inner, namespaceDescription } : inner),
      );
    }
    default: {
      const clientTool = clientToolOf(tool.source);
      if (clientTool !== undefined) return [decodeClientTool(tool, clientTool, names)];
      return [{ type: 'provider', origin: 'openai', kind: kindOf(type), name: type, config: tool.whole() }];
    }
  }
}

export function decodeToolChoice(fields: Fields, names: ToolNames): CanonicalToolChoice | undefined {
  const given = fields.get('tool_choice');
  if (given === undefined || given === 'auto' || given === 'none' || given === 'required') return given;
  const choice = fields.object('tool_choice');
  switch (choice.get('type')) {
    case 'function':
    case 'custom': {
      const inner = choice.get('function');
      const holder = isObject(inner) ? new Fields(inner, choice.path, undefined, choice) : choice;
      return { name: names.of(holder.text('name'), choice.optionalText('namespace')) };
    }
    case 'allowed_tools': {
      const allowed = objects(choice.get('tools')).flatMap((tool) => {
        if (typeof tool['name'] === 'string') return [names.of(tool['name'])];
        const clientTool = clientToolOf(tool);
        return clientTool === undefined ? [] : [names.ofOwn(clientTool)];
      });
      return { allowed, mode: choice.get('mode') === 'required' ? 'required' : 'auto' };
    }
    default: {
      const type = choice.text('type');
      const isDeclared = fields.optionalObjects('tools')?.some(({ source }) => clientToolOf(source) === type);
      if (isDeclared === true) return { name: names.ofOwn(type) };
      return { provider: choice.whole(), origin: 'openai' };
    }
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
    if (tool.type === 'function' && tool.own !== undefined) {
      tools.push(tool.own.item);
      continue;
    }
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
    else grouped(groups, tools, tool.namespace, tool.namespaceDescription).push(encoded);
  }
  return tools.length === 0 ? undefined : tools;
}

/** The namespace of a tool, as described by the caller. */
function grouped(groups: Map<string, Json[]>, tools: Json[], name: string, description = ''): Json[] {
  let group = groups.get(name);
  if (group === undefined) {
    groups.set(name, (group = []));
    tools.push({ type: 'namespace', name, description, tools: group });
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
      noteToolOptions(tool, ['allowed_domains', 'user_location'], notes);
      const domains = tool.config['allowed_domains'];
      const filters = Array.isArray(domains) ? { filters: { allowed_domains: domains as unknown } } : {};
      const location = tool.config['user_location'];
      return [{ type: 'web_search', ...filters, ...(isObject(location) ? { user_location: location } : {}) }];
    }
    case 'code_execution':
      approximate(notes, field, 'became OpenAI’s code interpreter');
      noteToolOptions(tool, [], notes);
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
  if (tool?.type === 'function' && tool.own !== undefined) return { type: tool.own.item['type'] };
  const given = request.format === 'openai-responses' ? (tool?.givenName ?? name) : name;
  return { type: tool?.type === 'custom' ? 'custom' : 'function', name: given };
}
