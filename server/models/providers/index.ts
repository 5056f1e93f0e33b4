// The registry of upstreams. A new one needs a file and a line here (docs/guides/add-a-provider.md).
import { advancedCustom } from './openai-compatible/advanced-custom.ts';
import { aiproxyLibrary } from './own-protocol/aiproxy-library.ts';
import { ali } from './openai-compatible/ali.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { azure } from './openai-compatible/azure.ts';
import { baidu } from './own-protocol/baidu.ts';
import { bedrock } from './aws/bedrock.ts';
import { cloudflare } from './openai-compatible/cloudflare.ts';
import { codex } from './openai-compatible/codex.ts';
import { cohere } from './own-protocol/cohere.ts';
import { coze } from './own-protocol/coze.ts';
import { custom } from './openai-compatible/custom.ts';
import { dify } from './own-protocol/dify.ts';
import { gemini, palm } from './google/gemini.ts';
import { midjourneyProxies } from './own-protocol/midjourney.ts';
import { jimeng } from './own-protocol/jimeng.ts';
import { kling } from './own-protocol/kling.ts';
import { minimax } from './openai-compatible/minimax.ts';
import { openai } from './openai-compatible/openai.ts';
import { openAiCopies } from './openai-compatible/copies.ts';
import type { Provider } from './provider.ts';
import { replicate } from './own-protocol/replicate.ts';
import { runway } from './own-protocol/runway.ts';
import { spark } from './own-protocol/spark.ts';
import { suno } from './own-protocol/suno.ts';
import { tencent } from './own-protocol/tencent.ts';
import { doubaoVideo, sora } from './own-protocol/video-copies.ts';
import { vertex } from './google/vertex.ts';
import { vidu } from './own-protocol/vidu.ts';
import { zhipu, zhipuV4 } from './openai-compatible/zhipu.ts';

/** Upstreams of the relay. */
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

/** Upstreams of server/relay/tasks, which finish a task long after the call. */
export const taskProviders: readonly Provider[] = [
  ...midjourneyProxies,
  suno,
  sora,
  kling,
  jimeng,
  vidu,
  doubaoVideo,
  runway,
];

const byType = new Map([...providers, ...taskProviders].map((provider) => [provider.type, provider]));

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}
