// Tencent's Hunyuan: OpenAI's chat with capitalised names and the whole answer in an envelope.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { drop } from '#server/models/formats/extras.ts';
import {
  isObject,
  member,
  objects,
  parseFrame,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import { openAiChat } from '#server/models/formats/openai-chat/index.ts';
import { functionChat } from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['temperature', 'topP', 'stop', 'seed', 'tools', 'toolChoice'], notes);
  const chat = functionChat(request, notes);
  return withoutUndefined({
    Model: request.model,
    Messages: objects(chat['messages']).map(messageOf),
    Stream: request.stream,
    Temperature: request.temperature,
    TopP: request.topP,
    Stop: request.stop,
    Seed: request.seed,
    Tools: toolsOf(chat['tools']),
    ...choiceOf(request, chat, notes),
  });
}

function messageOf(message: Json): Json {
  const { content } = message;
  const parts = Array.isArray(content)
    ? { Contents: objects(content).map(partOf) }
    : { Content: content ?? '' };
  const calls = objects(message['tool_calls']);
  return withoutUndefined({
    Role: message['role'],
    ...parts,
    ToolCallId: message['tool_call_id'],
    ToolCalls: calls.length === 0 ? undefined : calls.map(callOf),
  });
}

function partOf(part: Json): Json {
  if (part['type'] !== 'image_url') return { Type: 'text', Text: text(part['text']) };
  return { Type: 'image_url', ImageUrl: { Url: text(member(part['image_url'])['url']) } };
}

function callOf(call: Json): Json {
  const called = member(call['function']);
  return {
    Id: call['id'],
    Type: 'function',
    Function: { Name: called['name'], Arguments: called['arguments'] },
  };
}

function toolsOf(tools: unknown): Json[] | undefined {
  const functions = objects(tools).map((tool) => member(tool['function']));
  if (functions.length === 0) return undefined;
  return functions.map(({ name, description, parameters }) => ({
    Type: 'function',
    // The schema is sent as text.
    Function: withoutUndefined({
      Name: name,
      Description: description,
      Parameters: JSON.stringify(parameters ?? {}),
    }),
  }));
}

function choiceOf(request: CanonicalRequest, chat: Json, notes: ConversionNote[]): Json {
  const { toolChoice: choice } = request;
  if (choice === undefined || request.tools === undefined) return {};
  if (choice === 'auto' || choice === 'none') return { ToolChoice: choice };
  if (typeof choice === 'object' && 'name' in choice) {
    const named = toolsOf(
      objects(chat['tools']).filter((tool) => member(tool['function'])['name'] === choice.name),
    );
    return named === undefined ? {} : { ToolChoice: 'custom', CustomTool: named[0] };
  }
  // Only the allowed tools are sent.
  if (typeof choice === 'object' && 'allowed' in choice && choice.mode === 'auto')
    return { ToolChoice: 'auto' };
  drop(notes, 'tool_choice', 'the upstream has no such choice');
  return {};
}

/** `PromptTokens` → `prompt_tokens`, at every depth. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase(),
      snakeCased(inner),
    ]),
  );
}

function withoutEnvelope(body: unknown): Json {
  const outer = member(body);
  return isObject(outer['Response']) ? outer['Response'] : outer;
}

export const tencent: UpstreamCodec = {
  encodeRequest,
  decodeResponse: (body) => openAiChat.decodeResponse(snakeCased(withoutEnvelope(body))),
  decodeStream() {
    const inner = openAiChat.decodeStream();
    return {
      push(event, data) {
        if (data === '[DONE]') return inner.push(event, data);
        const chunk = withoutEnvelope(parseFrame(data));
        const failure = errorOf(chunk);
        if (failure !== undefined) {
          return [{ type: 'error', message: failure.message, code: failure.code, status: 502 }];
        }
        const events = inner.push(event, JSON.stringify(snakeCased(chunk)));
        // Every chunk has usage; only the last one is final.
        const isLast = events.some(({ type }) => type === 'finish');
        return isLast ? events : events.filter(({ type }) => type !== 'usage');
      },
      end: () => inner.end(),
    };
  },
  decodeError: (body) => errorOf(withoutEnvelope(body)),
};

function errorOf(answer: Json): { message: string; type: string; code: string } | undefined {
  const error = isObject(answer['Error']) ? answer['Error'] : answer['ErrorMsg'];
  if (!isObject(error)) return undefined;
  const code = error['Code'];
  const word = typeof code === 'number' ? String(code) : text(code);
  return { message: text(error['Message']) || text(error['Msg']), type: word, code: word };
}
