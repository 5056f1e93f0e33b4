// Every upstream the relay can speak to. Adding one is a file and a line here (docs/guides/add-a-provider.md).
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { custom } from './custom.ts';
import { gemini, palm } from './gemini.ts';
import { openai } from './openai.ts';
import { openAiCopies } from './openai-copies.ts';
import type { Provider } from './provider.ts';

export const providers: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  azure,
  custom,
  palm,
  ...openAiCopies,
];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}
