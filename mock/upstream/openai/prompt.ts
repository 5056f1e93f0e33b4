// Reads prompts of every OpenAI shape: counts their tokens (four characters each, images and audio at a fixed size; the
// figure only has to be stable and not guessable from the answer) and finds the last user text for directives.
import type { PromptSize } from './compose.ts';

const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_IMAGE = 85;
const TOKENS_PER_AUDIO = 10;

type Json = Record<string, unknown>;

export function countText(text: string): number {
  return Math.ceil(text.length / 4);
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function sizeOfMessages(messages: readonly unknown[]): PromptSize {
  const size: PromptSize = { textTokens: TOKENS_PER_MESSAGE, audioTokens: 0, imageTokens: 0 };
  for (const message of messages) {
    size.textTokens += TOKENS_PER_MESSAGE;
    if (isObject(message)) addContent(size, message['content'] ?? message['output'] ?? message['arguments']);
  }
  return size;
}

function addContent(size: PromptSize, content: unknown): void {
  if (typeof content === 'string') {
    size.textTokens += countText(content);
    return;
  }
  if (!Array.isArray(content)) return;
  for (const part of content as unknown[]) {
    if (!isObject(part)) continue;
    const type = String(part['type']);
    if (type.includes('image')) size.imageTokens += TOKENS_PER_IMAGE;
    else if (type.includes('audio')) size.audioTokens += TOKENS_PER_AUDIO;
    else if (typeof part['text'] === 'string') size.textTokens += countText(part['text']);
  }
}

export function sizeOfText(...texts: readonly unknown[]): PromptSize {
  let textTokens = 0;
  for (const text of texts.flat(2)) {
    if (typeof text === 'string') textTokens += countText(text);
    else if (typeof text === 'number') textTokens += 1;
    else if (isObject(text) && typeof text['text'] === 'string') textTokens += countText(text['text']);
  }
  return { textTokens: Math.max(1, textTokens), audioTokens: 0, imageTokens: 0 };
}

export function lastUserText(messages: unknown): string {
  if (typeof messages === 'string') return messages;
  if (!Array.isArray(messages)) return '';
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message: unknown = messages[index];
    if (typeof message === 'string') return message;
    if (!isObject(message) || message['role'] !== 'user') continue;
    return firstText(message['content']);
  }
  return '';
}

function firstText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  for (const part of content as unknown[]) {
    if (isObject(part) && typeof part['text'] === 'string') return part['text'];
  }
  return '';
}

export function lastRole(messages: readonly unknown[]): string {
  const last = messages.at(-1);
  return isObject(last) ? String(last['role'] ?? last['type']) : '';
}
