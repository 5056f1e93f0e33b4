// Every upstream the relay can speak to. Adding one is a file and a line here (docs/guides/add-a-provider.md).
import { advancedCustom } from './advanced-custom.ts';
import { aiproxyLibrary } from './aiproxy-library.ts';
import { ali } from './ali.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { baidu } from './baidu.ts';
import { bedrock } from './bedrock.ts';
import { cloudflare } from './cloudflare.ts';
import { codex } from './codex.ts';
import { cohere } from './cohere.ts';
import { coze } from './coze.ts';
import { custom } from './custom.ts';
import { dify } from './dify.ts';
import { gemini, palm } from './gemini.ts';
import { midjourneyProxies } from './midjourney.ts';
import { minimax } from './minimax.ts';
import { openai } from './openai.ts';
import { openAiCopies } from './openai-copies.ts';
import type { Provider } from './provider.ts';
import { replicate } from './replicate.ts';
import { spark } from './spark.ts';
import { tencent } from './tencent.ts';
import { vertex } from './vertex.ts';
import { zhipu, zhipuV4 } from './zhipu.ts';

/** What the relay calls. */
export const providers: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  azure,
  bedrock,
  vertex,
  custom,
  advancedCustom,
  ali,
  aiproxyLibrary,
  baidu,
  cloudflare,
  codex,
  cohere,
  coze,
  dify,
  minimax,
  palm,
  replicate,
  spark,
  tencent,
  zhipu,
  zhipuV4,
  ...openAiCopies,
];

/** What works in its own time, and is called by server/tasks. */
export const taskProviders: readonly Provider[] = midjourneyProxies;

const byType = new Map([...providers, ...taskProviders].map((provider) => [provider.type, provider]));

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}
