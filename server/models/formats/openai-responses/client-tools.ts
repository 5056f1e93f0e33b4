// OpenAI's tools that the client runs: shells and patches. Another upstream gets a function with the arguments that OpenAI
// documents; its calls come back as the items that the client expects.
import type { FunctionTool, ToolCallPart, ToolResultPart } from '#server/models/formats/canonical.ts';
import type { Fields } from '#server/models/formats/fields.ts';
import { isObject, list, member, objects, text, type Json } from '#server/models/formats/json.ts';
import type { OwnDeclaration } from '#server/models/formats/own-declaration.ts';
import { leavesOf } from '#server/models/formats/requested-part-features.ts';
import type { ToolNames } from '#server/models/formats/tool-names.ts';

interface ClientTool {
  description: string;
  parameters: Json;
  /** The kind of its calls; `<kind>_output` is the kind of their results. */
  call: string;
  /** The beginning of the ids of its calls. */
  prefix: string;
  /** The arguments in an item. */
  read(item: Json): Json;
  /** Members of an item with these arguments. `isValid`: they are what the tool takes. */
  write(given: Json, raw: string, declared: Json): { members: Json; isValid: boolean };
}

const words = (description: string): Json => ({ type: 'string', description });
const whole = (description: string): Json => ({ type: 'integer', description });
const strings = (description: string): Json => ({ type: 'array', items: { type: 'string' }, description });

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

function withoutKind({ type: _type, ...members }: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

const localShell: ClientTool = {
  description: 'Runs a command on the user’s computer. The result is its output.',
  parameters: {
    type: 'object',
    properties: {
      command: strings('The program and its arguments; ["bash", "-lc", "…"] for a line of shell.'),
      working_directory: words('Where to run it.'),
      env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Variables to set.' },
      timeout_ms: whole('Milliseconds after which it is stopped.'),
      user: words('The user to run it as.'),
    },
    required: ['command'],
  },
  call: 'local_shell_call',
  prefix: 'lsh',
  read: (item) => withoutKind(member(item['action'])),
  write(given) {
    // Models that know other shells give one line.
    const line = text(given['command']);
    const command = line === '' ? given['command'] : ['bash', '-lc', line];
    const isValid = isTexts(command);
    const env = isObject(given['env']) ? given['env'] : {};
    return { members: { action: { ...given, type: 'exec', command: isValid ? command : [], env } }, isValid };
  },
};

const shell: ClientTool = {
  description: 'Runs shell commands. The result has the output and the exit code of each of them.',
  parameters: {
    type: 'object',
    properties: {
      commands: strings('The commands, each a line of shell.'),
      timeout_ms: whole('Milliseconds after which they are stopped.'),
      max_output_length: whole('The most characters of output to return.'),
    },
    required: ['commands'],
  },
  call: 'shell_call',
  prefix: 'sh',
  read: (item) => withoutKind(member(item['action'])),
  write(given, _raw, declared) {
    const line = text(given['commands']) || text(given['command']);
    const commands = line === '' ? given['commands'] : [line];
    const isValid = isTexts(commands);
    const action = {
      commands: isValid ? commands : [],
      timeout_ms: given['timeout_ms'] ?? null,
      max_output_length: given['max_output_length'] ?? null,
    };
    const environment = isObject(declared['environment']) ? { type: 'local' } : null;
    return { members: { action, environment }, isValid };
  },
};

const OPERATIONS = ['create_file', 'update_file', 'delete_file'];

const applyPatch: ClientTool = {
  description:
    'Creates, updates or deletes one file. In the diff every line begins with a space (kept), - (removed) or + (added). ' +
    'A new file has + lines only. Before each changed place stands a line @@, or @@ and the line of code that opens ' +
    'the block, such as "@@ def area():"; three kept lines around a change say where it is. There are no line numbers.',
  parameters: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: OPERATIONS },
      path: words('The path of the file, relative to the workspace.'),
      diff: words('The diff; none to delete a file.'),
    },
    required: ['type', 'path'],
  },
  call: 'apply_patch_call',
  prefix: 'apc',
  read: (item) => member(item['operation']),
  write(given, raw) {
    const [type, path] = [text(given['type']), text(given['path'])];
    const isDeletion = type === 'delete_file';
    const isValid =
      OPERATIONS.includes(type) && path !== '' && (isDeletion || typeof given['diff'] === 'string');
    if (isValid) return { members: { operation: given }, isValid };
    // The client refuses a patch without a path, and the model hears of it.
    return { members: { operation: { type: 'update_file', path: '', diff: raw } }, isValid };
  },
};

const clientTools: Readonly<Record<string, ClientTool>> = {
  local_shell: localShell,
  shell,
  apply_patch: applyPatch,
};

const kinds = Object.keys(clientTools);
const kindOfCall = new Map(kinds.map((kind) => [`${kind}_call`, kind]));
const kindOfResult = new Map(kinds.map((kind) => [`${kind}_call_output`, kind]));

/** The tool of that type, unless OpenAI itself runs it: a shell in one of its containers. */
export function clientToolOf(declared: Json): string | undefined {
  const type = text(declared['type']);
  if (!kinds.includes(type)) return undefined;
  const place = member(declared['environment'])['type'] ?? 'local';
  return place === 'local' ? type : undefined;
}

function lossesOf(at: string, members: Json): string[] {
  return leavesOf(members).map((path) => `${at}.${path}`);
}

const isOnly = (value: unknown, type: string): boolean =>
  isObject(value) && value['type'] === type && Object.keys(value).length === 1;

export function decodeClientTool(tool: Fields, kind: string, names: ToolNames): FunctionTool {
  const { description, parameters } = clientTools[kind] as ClientTool;
  const item = tool.whole();
  const { type: _type, environment, allowed_callers: callers, ...rest } = item;
  const { skills, ...place } = member(environment);
  const known = objects(skills).map(
    (skill) => `- ${text(skill['name'])} (${text(skill['path'])}): ${text(skill['description'])}`,
  );
  const told = known.length === 0 ? '' : `\nSkills, each explained by the SKILL.md in its folder:\n`;
  const lost = {
    ...rest,
    ...(list(callers).some((caller) => caller !== 'direct') ? { allowed_callers: callers } : {}),
    ...withoutKind(place),
  };
  return {
    type: 'function',
    name: names.ofOwn(kind),
    description: `${description}${told}${known.join('\n')}`,
    parameters,
    own: { item, lost: lossesOf(`tools.${kind}`, lost) },
  };
}

function ownOf(item: Json, carried: readonly string[]): OwnDeclaration {
  const ignored = ['id', 'type', 'status', 'created_by', 'call_id', ...carried];
  const rest = Object.entries(item).filter(
    ([name, value]) =>
      !ignored.includes(name) &&
      !(name === 'caller' && isOnly(value, 'direct')) &&
      !(name === 'environment' && isOnly(value, 'local')),
  );
  return { item, lost: lossesOf(`input.${text(item['type'])}`, Object.fromEntries(rest)) };
}

/** The call in an item, if it is of one of these tools. */
export function decodeClientCall(item: Fields, type: string, names: ToolNames): ToolCallPart | undefined {
  const kind = kindOfCall.get(type);
  if (kind === undefined) return undefined;
  const source = item.whole();
  return {
    type: 'tool_call',
    id: item.optionalText('call_id') ?? item.text('id'),
    name: names.ofOwn(kind),
    arguments: text(source['arguments']) || JSON.stringify((clientTools[kind] as ClientTool).read(source)),
    own: ownOf(source, ['action', 'operation', 'arguments']),
  };
}

/** The result in an item, if it is of one of these tools. `callIds`: of calls, by the ids of their items. */
export function decodeClientResult(
  item: Fields,
  type: string,
  callIds: ReadonlyMap<string, string>,
): ToolResultPart | undefined {
  if (!kindOfResult.has(type)) return undefined;
  const source = item.whole();
  const given = item.optionalText('call_id') ?? item.text('id');
  const callId = item.has('call_id') ? given : (callIds.get(given) ?? given);
  return {
    type: 'tool_result',
    callId,
    content: [{ type: 'text', text: resultText(source, type) }],
    // A result repeats the limit of its call.
    own: ownOf(source, ['output', 'max_output_length']),
  };
}

function resultText({ status, output }: Json, type: string): string {
  if (type === 'apply_patch_call_output')
    return JSON.stringify({ status, ...(typeof output === 'string' ? { output } : {}) });
  return typeof output === 'string' ? output : JSON.stringify(output ?? []);
}

/** A call as the item of its tool. */
export interface ClientCall {
  /** The beginning of its id. */
  prefix: string;
  /** `raw`: the arguments; undefined while they are still coming. */
  item(id: string, callId: string, raw: string | undefined): Json;
}

/** For a tool of the caller's that is one of these. */
export function clientCallOf(own: OwnDeclaration | undefined): ClientCall | undefined {
  const kind = own === undefined ? undefined : clientToolOf(own.item);
  if (own === undefined || kind === undefined) return undefined;
  const tool = clientTools[kind] as ClientTool;
  return {
    prefix: tool.prefix,
    item(id, callId, raw) {
      const { members, isValid } = tool.write(parsed(raw ?? ''), raw ?? '', own.item);
      const unfinished = raw === undefined || kind === 'apply_patch' ? 'in_progress' : 'incomplete';
      const status = isValid ? 'completed' : unfinished;
      // A model that was told of a function may call it with other arguments; the client and the next turn still get them.
      const other = isValid || raw === undefined ? {} : { arguments: raw };
      return { id, type: tool.call, status, call_id: callId, ...members, ...other };
    },
  };
}

function parsed(raw: string): Json {
  try {
    return member(JSON.parse(raw));
  } catch {
    return {};
  }
}
