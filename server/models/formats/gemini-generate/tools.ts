// Tools of Gemini's requests: functions, Google's own, and the tool choice.
import type {
  CanonicalRequest,
  CanonicalTool,
  CanonicalToolChoice,
  ConversionNote,
  ProviderTool,
  ProviderToolKind,
} from '#server/models/formats/canonical.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import { Fields } from '#server/models/formats/fields.ts';
import { FormatError, isObject, member, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { noteToolOptions } from '#server/models/formats/requested-part-features.ts';
import {
  customDescription,
  CUSTOM_PARAMETERS,
  isNamed,
  type ToolNames,
} from '#server/models/formats/tool-names.ts';
import { oneOrMore } from './contents.ts';
import { geminiSchema, jsonSchema } from './schema.ts';

export function decodeTools(fields: Fields, names: ToolNames): CanonicalTool[] | undefined {
  if (!fields.has('tools')) return undefined;
  return oneOrMore(fields, 'tools').flatMap((tool) => decodeTool(tool, names));
}

function decodeTool(tool: Fields, names: ToolNames): CanonicalTool[] {
  const tools: CanonicalTool[] = [];
  for (const [name, config] of Object.entries(tool.source)) {
    if (config === null || config === undefined) continue;
    if (name === 'functionDeclarations' || name === 'function_declarations') {
      tools.push(...tool.objects(name).map((declaration) => decodeDeclaration(declaration, names)));
    } else {
      tools.push({
        type: 'provider',
        origin: 'google',
        kind: kindOf(name),
        name,
        config: { [name]: config },
      });
    }
  }
  return tools;
}

function decodeDeclaration(declaration: Fields, names: ToolNames): CanonicalTool {
  const given = declaration.get('parametersJsonSchema') ?? declaration.get('parameters');
  return withoutUndefined<CanonicalTool>({
    type: 'function',
    ...names.fields(declaration.text('name')),
    description: declaration.optionalText('description'),
    parameters: isObject(given) ? jsonSchema(given) : { type: 'object', properties: {} },
  });
}

function kindOf(name: string): ProviderToolKind {
  const plain = name.replaceAll('_', '').toLowerCase();
  if (plain === 'googlesearch' || plain === 'googlesearchretrieval') return 'web_search';
  if (plain === 'urlcontext') return 'web_fetch';
  return plain === 'codeexecution' ? 'code_execution' : 'other';
}

export function decodeToolChoice(
  holder: Fields | undefined,
  names: ToolNames,
): CanonicalToolChoice | undefined {
  const config = holder?.optionalObject('functionCallingConfig');
  if (config === undefined) return undefined;
  const mode = (config.optionalText('mode') ?? 'AUTO').toUpperCase();
  const allowed = config.optionalTexts('allowedFunctionNames')?.map((name) => names.of(name)) ?? [];
  const [only] = allowed;
  switch (mode) {
    case 'NONE':
      return 'none';
    case 'ANY':
      if (only === undefined) return 'required';
      return allowed.length === 1 ? { name: only } : { allowed, mode: 'required' };
    case 'AUTO':
    case 'VALIDATED':
    case 'MODE_UNSPECIFIED':
      return only === undefined ? 'auto' : { allowed, mode: 'auto' };
    default:
      throw new FormatError(config.at('mode'), 'one of AUTO, ANY, NONE, VALIDATED');
  }
}

/** Callers of formats without Google's tools request them as functions of these names. */
const BUILT_INS: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution', 'urlContext']);
const isBuiltIn = (name: string): boolean => BUILT_INS.has(name);

/** Members of the request about tools. */
export function encodeTools(request: CanonicalRequest, notes: ConversionNote[]): Json {
  const choice = request.toolChoice;
  const allowed =
    typeof choice === 'object' && 'allowed' in choice && choice.mode === 'auto'
      ? new Set(choice.allowed)
      : undefined;
  if (allowed !== undefined) approximate(notes, 'tool_choice', 'only the allowed tools are told of');
  const named = (request.tools ?? []).filter(isNamed);
  const declarations = named
    .filter((tool) => !isBuiltIn(tool.name))
    .filter((tool) => allowed === undefined || allowed.has(tool.name))
    .map((tool) => encodeDeclaration(tool, notes));
  const provided = (request.tools ?? []).filter((tool) => tool.type === 'provider');
  const tools: Json[] = declarations.length === 0 ? [] : [{ functionDeclarations: declarations }];
  for (const { name } of named.filter((tool) => isBuiltIn(tool.name))) {
    notes.push({
      field: `tools.${name}`,
      what: 'renamed',
      detail: 'a function of this name is Google’s own tool',
    });
    tools.push({ [name]: {} });
  }
  for (const tool of provided) tools.push(...encodeProviderTool(tool, declarations.length > 0, notes));
  if (request.parallelToolCalls === false)
    drop(notes, 'parallel_tool_calls', 'Gemini calls as many tools at once as it likes');
  if (tools.length === 0) return {};
  const config = declarations.length === 0 ? undefined : encodeChoice(choice, notes);
  return { tools, ...(config === undefined ? {} : { toolConfig: { functionCallingConfig: config } }) };
}

function encodeDeclaration(tool: Exclude<CanonicalTool, ProviderTool>, notes: ConversionNote[]): Json {
  const { name } = tool;
  if (tool.type === 'custom') {
    approximate(notes, `tools.${tool.givenName ?? name}`, 'a tool of free text takes JSON with one text');
    const parameters = geminiSchema(CUSTOM_PARAMETERS, name, []);
    return withoutUndefined({ name, description: customDescription(tool), parameters });
  }
  const { description } = tool;
  const losses: ConversionNote[] = [];
  const parameters = geminiSchema(tool.parameters, name, losses);
  // Google's older kind of schema says what most tools need, and every gateway to Gemini knows it.
  if (losses.length > 0)
    return withoutUndefined({ name, description, parametersJsonSchema: tool.parameters });
  // Gemini refuses an object without properties; no parameters mean the same.
  const isEmpty = Object.keys(member(parameters['properties'])).length === 0;
  return withoutUndefined({
    name,
    description,
    parameters: isEmpty ? undefined : { ...parameters, type: 'object' },
  });
}

function encodeProviderTool(tool: ProviderTool, hasFunctions: boolean, notes: ConversionNote[]): Json[] {
  if (tool.origin === 'google') return [tool.config];
  const name = `tools.${tool.name}`;
  if (tool.kind === 'other') {
    drop(notes, name, 'a tool of another provider’s own');
    return [];
  }
  if (hasFunctions) {
    drop(notes, name, 'Gemini takes functions or tools of its own, not both');
    return [];
  }
  approximate(notes, name, 'became the tool Google has for it');
  noteToolOptions(tool, [], notes);
  if (tool.kind === 'web_search') return [{ googleSearch: {} }];
  return tool.kind === 'web_fetch' ? [{ urlContext: {} }] : [{ codeExecution: {} }];
}

function encodeChoice(choice: CanonicalToolChoice | undefined, notes: ConversionNote[]): Json | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  if ('name' in choice) return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  if ('allowed' in choice)
    return choice.mode === 'required'
      ? { mode: 'ANY', allowedFunctionNames: choice.allowed }
      : { mode: 'AUTO' };
  approximate(notes, 'tool_choice', 'a tool of the provider’s own cannot be forced');
  return { mode: 'AUTO' };
}
