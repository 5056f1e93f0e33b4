// The types of one-api that have another number or no type here. Those up to 25 are the same in all gateways of the family,
// except the four that are named.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';

interface Target {
  type: number;
  /** Where the type's address is not the default address here. */
  baseUrl?: string;
}

const compatible = (baseUrl: string): Target => ({ type: CHANNEL_TYPE.openAi, baseUrl });

const ONE_API_TYPES: Record<number, Target | undefined> = {
  2: compatible('https://oa.api2d.net'),
  4: compatible('https://api.closeai-proxy.xyz'),
  5: compatible('https://api.openai-sb.com'),
  19: { type: CHANNEL_TYPE.ai360 },
  26: compatible('https://api.baichuan-ai.com'),
  27: { type: CHANNEL_TYPE.miniMax },
  28: { type: CHANNEL_TYPE.mistral },
  29: compatible('https://api.groq.com/openai'),
  30: { type: CHANNEL_TYPE.ollama },
  31: { type: CHANNEL_TYPE.lingyi },
  32: compatible('https://api.stepfun.com'),
  33: { type: CHANNEL_TYPE.bedrock },
  34: { type: CHANNEL_TYPE.coze, baseUrl: 'https://api.coze.com' },
  35: { type: CHANNEL_TYPE.cohere },
  36: { type: CHANNEL_TYPE.deepSeek },
  37: { type: CHANNEL_TYPE.cloudflare },
  39: compatible('https://api.together.xyz'),
  40: { type: CHANNEL_TYPE.volcEngine },
  41: compatible('https://api.novita.ai/v3/openai'),
  42: { type: CHANNEL_TYPE.vertex },
  44: { type: CHANNEL_TYPE.siliconFlow },
  45: { type: CHANNEL_TYPE.xai },
  46: { type: CHANNEL_TYPE.replicate },
  47: { type: CHANNEL_TYPE.baiduV2 },
  48: compatible('https://spark-api-open.xf-yun.com'),
  49: { type: CHANNEL_TYPE.ali },
  50: { type: CHANNEL_TYPE.openAi },
  51: { type: CHANNEL_TYPE.gemini },
};

/** 38 is a translation service and 43 passes anything on to any address: neither is a model provider. */
const WITHOUT_EQUAL = [0, 38, 43];
const SAME_UP_TO = 25;

export function oneApiType(type: number): Target | undefined {
  if (WITHOUT_EQUAL.includes(type)) return undefined;
  return ONE_API_TYPES[type] ?? (type <= SAME_UP_TO ? { type } : undefined);
}
