// Checks a request as strictly as Anthropic: a wrong conversion is refused here as it would be there.
import { isObject, textOf } from '#mock/upstream/openai/prompt.ts';
import { thinkingFault } from './thinking.ts';

type Json = Record<string, unknown>;

const knownFields = new Set(
  `model messages max_tokens cache_control container context_management diagnostics inference_geo mcp_servers metadata
  output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools
  top_k top_p betas user_profile_id`.split(/\s+/),
);

const BLOCK_TYPES: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload']),
  assistant: new Set([
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'server_tool_use',
    'web_search_tool_result',
  ]),
};

const SERVER_TOOL =
  /^(?:web_search|web_fetch|bash|text_editor|computer|code_execution|memory|mcp_toolset|tool_search)/;

export function requestFault(body: Json, needsLimit: boolean): string | undefined {
  for (const name in body) if (!knownFields.has(name)) return `${name}: Extra inputs are not permitted`;
  const { messages, max_tokens: limit, temperature } = body;
  if (needsLimit && limit === undefined) return 'max_tokens: Field required';
  if (limit !== undefined && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1))
    return 'max_tokens: Input should be greater than or equal to 1';
  if (!Array.isArray(messages)) return 'messages: Field required';
  if (messages.length === 0) return 'messages: at least one message is required';
  const thinking = isObject(body['thinking']) ? body['thinking'] : {};
  const isThinking = thinking['type'] === 'enabled' || thinking['type'] === 'adaptive';
  if (thinking['type'] === 'enabled') {
    const budget = Number(thinking['budget_tokens']);
    if (!(budget >= 1024))
      return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
    if (typeof limit === 'number' && budget >= limit)
      return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  if (isThinking && temperature !== undefined && temperature !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled.';
  return (
    messagesFault(messages as unknown[]) ??
    thinkingFault(messages as unknown[], isThinking) ??
    toolsFault(body) ??
    cacheFault(body)
  );
}

function messagesFault(messages: readonly unknown[]): string | undefined {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) return `messages.${at}: Input should be an object`;
    const role = String(message['role']);
    const types = BLOCK_TYPES[role];
    if (types === undefined)
      return `messages: Unexpected role "${role}". Allowed roles are "user" or "assistant".`;
    const { content } = message;
    if (at === 0 && role !== 'user') return 'messages: first message must use the "user" role';
    if (typeof content === 'string') {
      if (content === '') return `messages.${at}: user messages must have non-empty content`;
      if (open.length > 0) return unanswered(at - 1, open);
      continue;
    }
    if (!Array.isArray(content) || content.length === 0) return `messages.${at}.content: Field required`;
    const blocks = (content as unknown[]).filter(isObject);
    for (const [index, block] of blocks.entries()) {
      const fault = blockFault(`messages.${at}.content.${index}`, block, types);
      if (fault !== undefined) return fault;
    }
    const answered = blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => String(block['tool_use_id']));
    const stray = answered.find((id) => !open.includes(id));
    if (stray !== undefined)
      return `messages.${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) return unanswered(at - 1, missing);
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
  }
  return undefined;
}

function unanswered(at: number, ids: readonly string[]): string {
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function blockFault(where: string, block: Json, types: ReadonlySet<string>): string | undefined {
  const type = String(block['type']);
  if (!types.has(type))
    return `${where}: Input tag '${type}' found using 'type' does not match any of the expected tags`;
  if (type === 'text' && block['text'] === '') return `${where}: text content blocks must be non-empty`;
  if (type === 'tool_use' && (!isObject(block['input']) || !/^[\w-]+$/.test(String(block['id']))))
    return `${where}.tool_use.input: Input should be a valid dictionary`;
  if (type === 'image' || type === 'document') {
    const source = isObject(block['source']) ? block['source'] : {};
    if (source['type'] === 'base64' && !/^[A-Za-z0-9+/]+=*$/.test(String(source['data'])))
      return `${where}.${type}.source.base64.data: Invalid base64 data`;
    if (!['base64', 'url', 'file', 'text', 'content'].includes(String(source['type'])))
      return `${where}.${type}.source: Field required`;
  }
  return undefined;
}

function toolsFault({ tools, tool_choice: choice }: Json): string | undefined {
  if (tools === undefined)
    return choice === undefined ? undefined : 'tool_choice may only be specified while providing tools';
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  for (const [index, tool] of (tools as unknown[]).entries()) {
    if (!isObject(tool)) return `tools.${index}: Input should be an object`;
    if (typeof tool['type'] === 'string' && SERVER_TOOL.test(tool['type'])) continue;
    if (!/^[\w-]{1,128}$/.test(textOf(tool['name'])))
      return `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (!isObject(tool['input_schema']) || tool['input_schema']['type'] !== 'object')
      return `tools.${index}.custom.input_schema.type: Field required`;
  }
  return undefined;
}

function cacheFault(body: Json): string | undefined {
  let points = 0;
  let fault: string | undefined;
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value as unknown[]) look(item);
    else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        if (name === 'input' || name === 'input_schema') continue;
        if (name !== 'cache_control') look(item);
        else if (isObject(item)) {
          points += 1;
          const { ttl } = item;
          if (item['type'] !== 'ephemeral') fault = 'cache_control.type: Input should be ephemeral';
          if (ttl !== undefined && ttl !== '5m' && ttl !== '1h')
            fault = 'cache_control.ttl: Input should be 5m or 1h';
        }
      }
    }
  };
  look([body['system'], body['messages'], body['tools']]);
  return points > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${points}.` : fault;
}
