// Collects the events of an answer into the blocks of each choice, in the order they began.
import type {
  CanonicalCitation,
  CanonicalEvent,
  CanonicalLogprob,
  CanonicalUsage,
  FinishReason,
  Origin,
} from './canonical.ts';

export interface TextBlock {
  type: 'text';
  text: string;
  citations: CanonicalCitation[];
  logprobs: CanonicalLogprob[];
  signature?: string;
}

export interface ReasoningBlock {
  type: 'reasoning';
  text: string;
  signature?: string;
  redacted?: string;
  origin?: Origin;
  id?: string;
}

export interface CallBlock {
  type: 'tool_call';
  index: number;
  id: string;
  name: string;
  arguments: string;
  isCustom: boolean;
  signature?: string;
}

export interface AudioBlock {
  type: 'audio';
  id: string;
  data: string;
  mediaType: string;
  transcript: string;
  expiresAt?: number;
}

export type Block =
  | TextBlock
  | ReasoningBlock
  | CallBlock
  | AudioBlock
  | { type: 'refusal'; text: string }
  | Extract<CanonicalEvent, { type: 'image' | 'provider-item' }>;

export interface Choice {
  blocks: Block[];
  reason: FinishReason;
  raw: string;
  stopSequence?: string;
}

export interface Gathered {
  id: string;
  model: string;
  created: number;
  serviceTier?: string;
  choices: Map<number, Choice>;
  usage: CanonicalUsage | undefined;
  error: Extract<CanonicalEvent, { type: 'error' }> | undefined;
}

export function gather(events: readonly CanonicalEvent[]): Gathered {
  const gathered: Gathered = {
    id: '',
    model: '',
    created: 0,
    choices: new Map(),
    usage: undefined,
    error: undefined,
  };
  for (const event of events) add(gathered, event);
  for (const choice of gathered.choices.values()) {
    const hasCalls = choice.blocks.some((block) => block.type === 'tool_call');
    // Some upstreams report `stop` although they call tools; callers would not run them.
    if (hasCalls && choice.reason === 'stop') choice.reason = 'tool_calls';
    for (const block of choice.blocks) {
      // An empty string is not JSON, and means no arguments.
      if (block.type === 'tool_call' && block.arguments === '' && !block.isCustom) block.arguments = '{}';
    }
  }
  return gathered;
}

/** Choices in order; formats with one choice use the first. */
export function choicesOf(gathered: Gathered): [number, Choice][] {
  return [...gathered.choices].sort(([left], [right]) => left - right);
}

export function firstChoice(gathered: Gathered): Choice {
  return choicesOf(gathered)[0]?.[1] ?? { blocks: [], reason: 'stop', raw: '' };
}

function add(gathered: Gathered, event: CanonicalEvent): void {
  switch (event.type) {
    case 'start':
      gathered.id = event.id;
      gathered.model = event.model;
      gathered.created = event.created;
      if (event.serviceTier !== undefined) gathered.serviceTier = event.serviceTier;
      return;
    case 'usage':
      gathered.usage = event.usage;
      return;
    case 'error':
      gathered.error ??= event;
      return;
    default:
      addToChoice(choiceAt(gathered, event.choice), event);
  }
}

function choiceAt(gathered: Gathered, index: number): Choice {
  let choice = gathered.choices.get(index);
  if (choice === undefined) gathered.choices.set(index, (choice = { blocks: [], reason: 'stop', raw: '' }));
  return choice;
}

type ChoiceEvent = Exclude<CanonicalEvent, { type: 'start' | 'usage' | 'error' }>;

function addToChoice(choice: Choice, event: ChoiceEvent): void {
  const { blocks } = choice;
  switch (event.type) {
    case 'text-delta': {
      const block = textBlock(blocks);
      block.text += event.text;
      if (event.logprobs !== undefined) block.logprobs.push(...event.logprobs);
      if (event.signature !== undefined) block.signature = event.signature;
      return;
    }
    case 'citation':
      textBlock(blocks).citations.push(event.citation);
      return;
    case 'reasoning-delta':
      reasoningBlock(blocks).text += event.text;
      return;
    case 'reasoning-signature': {
      const { signature, origin, id } = event;
      Object.assign(reasoningBlock(blocks), { signature, origin, ...(id === undefined ? {} : { id }) });
      return;
    }
    case 'reasoning-redacted': {
      const { data, origin, id } = event;
      blocks.push({
        type: 'reasoning',
        text: '',
        redacted: data,
        origin,
        ...(id === undefined ? {} : { id }),
      });
      return;
    }
    case 'refusal-delta': {
      const last = blocks.at(-1);
      if (last?.type === 'refusal') last.text += event.text;
      else blocks.push({ type: 'refusal', text: event.text });
      return;
    }
    case 'tool-call-delta':
      addCall(blocks, event);
      return;
    case 'audio-delta':
      addAudio(blocks, event);
      return;
    case 'finish':
      choice.reason = event.reason;
      choice.raw = event.raw;
      if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
      return;
    case 'image':
    case 'provider-item':
      blocks.push(event);
  }
}

function textBlock(blocks: Block[]): TextBlock {
  const last = blocks.at(-1);
  if (last?.type === 'text') return last;
  const made: TextBlock = { type: 'text', text: '', citations: [], logprobs: [] };
  blocks.push(made);
  return made;
}

/** A signature ends a block of reasoning. */
function reasoningBlock(blocks: Block[]): ReasoningBlock {
  const last = blocks.at(-1);
  if (last?.type === 'reasoning' && last.signature === undefined && last.redacted === undefined) return last;
  const made: ReasoningBlock = { type: 'reasoning', text: '' };
  blocks.push(made);
  return made;
}

function addCall(blocks: Block[], event: Extract<CanonicalEvent, { type: 'tool-call-delta' }>): void {
  let call = blocks.find(
    (block): block is CallBlock => block.type === 'tool_call' && block.index === event.index,
  );
  if (call === undefined) {
    call = { type: 'tool_call', index: event.index, id: '', name: '', arguments: '', isCustom: false };
    blocks.push(call);
  }
  if (event.id !== undefined) call.id = event.id;
  if (event.name !== undefined) call.name = event.name;
  if (event.signature !== undefined) call.signature = event.signature;
  if (event.isCustom === true) call.isCustom = true;
  call.arguments += event.arguments;
}

function addAudio(blocks: Block[], event: Extract<CanonicalEvent, { type: 'audio-delta' }>): void {
  let audio = blocks.find((block): block is AudioBlock => block.type === 'audio');
  if (audio === undefined) {
    audio = { type: 'audio', id: '', data: '', mediaType: '', transcript: '' };
    blocks.push(audio);
  }
  if (event.id !== undefined) audio.id = event.id;
  if (event.mediaType !== undefined) audio.mediaType = event.mediaType;
  if (event.expiresAt !== undefined) audio.expiresAt = event.expiresAt;
  audio.data += event.data ?? '';
  audio.transcript += event.transcript ?? '';
}
