/** One event of a chat stream: text, reasoning, tool calls and usage, or the failure that it reports. */
import type { ToolCall } from './call.ts';
import type { AnswerUsage } from './conversation.ts';

export interface StreamListener {
  onText: (text: string) => void;
  onReasoning: (text: string) => void;
  /** A piece of a tool call; pieces of one call have the same index. */
  onToolCall: (index: number, piece: Partial<ToolCall>) => void;
  onUsage: (usage: AnswerUsage) => void;
  /** Once the server has answered. */
  onRequestId?: (requestId: string) => void;
}

/** The error message of the server or the stream; it is shown in the answer. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  readonly status: number;
  constructor(message: string, status = 200) {
    super(message);
    this.status = status;
  }
}

interface ToolPiece {
  index?: number;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

interface Chunk {
  choices?: {
    delta?: {
      content?: unknown;
      reasoning_content?: unknown;
      reasoning?: unknown;
      tool_calls?:
        | { index?: number; id?: unknown; function?: { name?: unknown; arguments?: unknown } }[]
        | null;
    };
  }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
  error?: unknown;
}

export function failureText(data: string): string {
  try {
    const { error } = JSON.parse(data) as { error?: { message?: unknown } | string };
    if (typeof error === 'string') return error;
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // Not JSON: the text is the message.
  }
  return data;
}

export function readChunk(data: string, listener: StreamListener): void {
  let chunk: Chunk;
  try {
    chunk = JSON.parse(data) as Chunk;
  } catch {
    throw new StreamFailure(data);
  }
  if (chunk.error !== undefined && chunk.error !== null) throw new StreamFailure(failureText(data));
  const delta = chunk.choices?.[0]?.delta ?? {};
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') listener.onReasoning(reasoning);
  if (typeof delta.content === 'string' && delta.content !== '') listener.onText(delta.content);
  readToolCalls(delta.tool_calls ?? [], listener);
  if (chunk.usage) {
    listener.onUsage({
      prompt: chunk.usage.prompt_tokens ?? 0,
      cached: chunk.usage.prompt_tokens_details?.cached_tokens ?? 0,
      completion: chunk.usage.completion_tokens ?? 0,
    });
  }
}

function readToolCalls(pieces: readonly ToolPiece[], listener: StreamListener): void {
  for (const [place, { index = place, id, function: called }] of pieces.entries()) {
    const piece: Partial<ToolCall> = {};
    if (typeof id === 'string') piece.id = id;
    if (typeof called?.name === 'string') piece.name = called.name;
    if (typeof called?.arguments === 'string') piece.arguments = called.arguments;
    listener.onToolCall(index, piece);
  }
}
