// Dialects of suppliers with their own protocol, in the order they are tried.
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { baidu } from './baidu/index.ts';
import { bedrock } from './bedrock/index.ts';
import { cohere } from './cohere/index.ts';
import {
  ali,
  azure,
  cloudflare,
  codex,
  compatible,
  compatibleAnthropic,
  minimax,
  ollama,
} from './compatible/index.ts';
import { coze } from './coze/index.ts';
import type { Dialect } from './dialect.ts';
import { codexLogins } from './compatible/codex-logins.ts';
import { dify } from './dify/index.ts';
import { replicate } from './replicate/index.ts';
import { tencent } from './tencent/index.ts';
import { googleTokens, vertex } from './vertex/index.ts';

export const suppliers: readonly Dialect[] = [
  aiproxyLibrary,
  ali,
  azure,
  baidu,
  bedrock,
  cloudflare,
  codex,
  codexLogins,
  cohere,
  coze,
  dify,
  googleTokens,
  minimax,
  ollama,
  replicate,
  tencent,
  vertex,
  compatibleAnthropic,
  compatible,
];
