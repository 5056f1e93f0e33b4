// Every channel type as the form and the list show it: name, address, key format, extra field. Whether the relay supports a
// type is decided in providers/index.ts.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { BalanceKind } from './balance.ts';
import { typeModels } from './type-models.ts';

interface Words {
  readonly zh: string;
  readonly en: string;
}

export interface ChannelTypeFacts {
  readonly type: number;
  readonly name: string;
  /** Two letters for the monogram tile. */
  readonly mark: string;
  readonly baseUrl: string;
  readonly baseUrlRequired: boolean;
  /** Replaces the label of the address field. */
  readonly baseUrlLabel: Words;
  /** The parts of the key, such as `APIKey|SecretKey`. */
  readonly keyFormat: string;
  readonly keyIsJson: boolean;
  /** Label of the row's free field `other`. */
  readonly otherLabel: Words;
  readonly otherExample: string;
  readonly otherRequired: boolean;
  /** Shown in the form. */
  readonly note: Words;
  readonly models: readonly string[];
  /** The upstream serves exactly these models: choosing the type adds them. */
  readonly presetsModels: boolean;
  readonly balance: BalanceKind | undefined;
}

const NOTHING: Words = { zh: '', en: '' };

function type(
  number: number,
  name: string,
  mark: string,
  baseUrl: string,
  more: Partial<ChannelTypeFacts> = {},
): ChannelTypeFacts {
  return {
    type: number,
    name,
    mark,
    baseUrl,
    baseUrlRequired: false,
    baseUrlLabel: NOTHING,
    keyFormat: '',
    keyIsJson: false,
    otherLabel: NOTHING,
    otherExample: '',
    otherRequired: false,
    note: NOTHING,
    models: typeModels[number] ?? [],
    presetsModels: false,
    balance: undefined,
    ...more,
  };
}

const OWN = { baseUrlRequired: true } as const;
const REGION = {
  otherLabel: { zh: '部署地区', en: 'Region' },
  otherExample: 'us-central1',
  otherRequired: true,
} as const;

export const channelTypes: readonly ChannelTypeFacts[] = [
  type(CHANNEL_TYPE.openAi, 'OpenAI', 'OA', 'https://api.openai.com', { balance: 'openai' }),
  type(CHANNEL_TYPE.anthropic, 'Anthropic', 'An', 'https://api.anthropic.com'),
  type(CHANNEL_TYPE.gemini, 'Gemini', 'Ge', 'https://generativelanguage.googleapis.com', {
    otherLabel: { zh: 'API 版本', en: 'API version' },
    otherExample: 'v1beta',
  }),
  type(CHANNEL_TYPE.azure, 'Azure', 'Az', '', {
    ...OWN,
    baseUrlLabel: { zh: 'Azure 终结点', en: 'Azure endpoint' },
    otherLabel: { zh: '默认 API 版本', en: 'Default API version' },
    otherExample: '2024-12-01-preview',
    note: {
      zh: '注意：模型部署名称必须和模型名称保持一致，因为请求体中的 model 会被替换为部署名称。',
      en: 'The deployment name must equal the model name, because the model of a request becomes the deployment in the address.',
    },
  }),
  type(CHANNEL_TYPE.deepSeek, 'DeepSeek', 'DS', 'https://api.deepseek.com', { balance: 'deepseek' }),
  type(CHANNEL_TYPE.ali, 'Ali', 'Qw', 'https://dashscope.aliyuncs.com'),
  type(CHANNEL_TYPE.moonshot, 'Moonshot', 'Ki', 'https://api.moonshot.cn', { balance: 'moonshot' }),
  type(CHANNEL_TYPE.zhipuV4, 'Zhipu v4', 'GL', 'https://open.bigmodel.cn'),
  type(CHANNEL_TYPE.volcEngine, 'VolcEngine', 'Vo', 'https://ark.cn-beijing.volces.com'),
  type(CHANNEL_TYPE.siliconFlow, 'SiliconFlow', 'SF', 'https://api.siliconflow.cn', {
    balance: 'siliconflow',
  }),
  type(CHANNEL_TYPE.openRouter, 'OpenRouter', 'OR', 'https://openrouter.ai/api', { balance: 'openrouter' }),
  type(CHANNEL_TYPE.xai, 'xAI', 'xA', 'https://api.x.ai'),
  type(CHANNEL_TYPE.mistral, 'Mistral', 'Mi', 'https://api.mistral.ai'),
  type(CHANNEL_TYPE.bedrock, 'AWS', 'Be', '', {
    keyFormat: 'AccessKey|SecretKey|Region',
    note: {
      zh: '也可填写 Bedrock 的 API 密钥：APIKey|Region。Claude 与 Nova 的常用名称会换成 Bedrock 的模型 ID，其他模型请填写 Bedrock 的 ID。',
      en: "A Bedrock API key works as well: APIKey|Region. The usual names of Claude and Nova models become Bedrock's IDs; enter other models by their Bedrock ID.",
    },
  }),
  type(CHANNEL_TYPE.vertex, 'Vertex AI', 'Vx', '', {
    ...REGION,
    keyIsJson: true,
    keyFormat: '{"type": "service_account", …}',
    note: {
      zh: '密钥为服务账号的 JSON；地区可写一个名称，或以 default 为默认值的 JSON。',
      en: 'The key is the JSON of a service account; the region is a name, or JSON with a "default" member.',
    },
  }),
  type(CHANNEL_TYPE.custom, 'Custom', '··', '', {
    ...OWN,
    baseUrlLabel: { zh: '完整的请求地址', en: 'Whole address' },
    note: {
      zh: '填写完整的请求地址，其中 {model} 会被替换为模型名称；只写域名时按 OpenAI 的路径请求。',
      en: "The full address of the call; {model} in it stands for the model. An address without a path is called with OpenAI's paths.",
    },
    balance: 'openai',
  }),
  type(CHANNEL_TYPE.ollama, 'Ollama', 'Ol', 'http://localhost:11434'),
  type(CHANNEL_TYPE.xinference, 'Xinference', 'Xi', '', OWN),
  type(CHANNEL_TYPE.newApi, 'New API', 'NA', '', { ...OWN, balance: 'openai' }),
  type(CHANNEL_TYPE.sub2Api, 'Sub2API', 'S2', '', OWN),
  type(CHANNEL_TYPE.advancedCustom, 'Advanced Custom', '+·', '', {
    ...OWN,
    otherLabel: { zh: '路径与认证（JSON）', en: 'Paths and authentication (JSON)' },
    otherExample: '{"paths":{"anthropic-messages":"/v1/messages"},"auth":"x-api-key: {key}"}',
    note: {
      zh: '为每种格式指定地址（{model} 代表模型，{verb} 代表 Gemini 的动作），auth 为携带密钥的请求头；留空时按 OpenAI 的路径请求。',
      en: "Each format gets its own address ({model} stands for the model, {verb} for Gemini's action); auth is the header with the key. Leave blank to use OpenAI's paths.",
    },
  }),
  type(CHANNEL_TYPE.cloudflare, 'Cloudflare', 'CF', 'https://api.cloudflare.com', {
    otherLabel: { zh: 'Account ID', en: 'Account ID' },
    otherExample: 'd6b5da8hk1awo8nap34ube6gh',
    otherRequired: true,
  }),
  type(CHANNEL_TYPE.cohere, 'Cohere', 'Co', 'https://api.cohere.ai'),
  type(CHANNEL_TYPE.jina, 'Jina', 'Ji', 'https://api.jina.ai'),
  type(CHANNEL_TYPE.miniMax, 'MiniMax', 'MM', 'https://api.minimax.chat'),
  type(CHANNEL_TYPE.lingyi, '01.AI', '01', 'https://api.lingyiwanwu.com'),
  type(CHANNEL_TYPE.perplexity, 'Perplexity', 'Px', 'https://api.perplexity.ai'),
  type(CHANNEL_TYPE.baiduV2, 'Baidu v2', 'B2', 'https://qianfan.baidubce.com', { keyFormat: 'APIKey|AppId' }),
  type(CHANNEL_TYPE.baidu, 'Baidu', 'Bd', 'https://aip.baidubce.com', { keyFormat: 'APIKey|SecretKey' }),
  type(CHANNEL_TYPE.zhipu, 'Zhipu', 'ZP', 'https://open.bigmodel.cn', { keyFormat: 'id.secret' }),
  type(CHANNEL_TYPE.spark, 'Xunfei Spark', 'Sp', '', {
    keyFormat: 'APPID|APISecret|APIKey',
    otherLabel: { zh: '模型版本', en: 'Model version' },
    otherExample: 'v2.1',
  }),
  type(CHANNEL_TYPE.ai360, '360', '36', 'https://api.360.cn'),
  type(CHANNEL_TYPE.tencent, 'Tencent', 'Te', 'https://hunyuan.tencentcloudapi.com', {
    keyFormat: 'AppId|SecretId|SecretKey',
  }),
  type(CHANNEL_TYPE.mokaAi, 'MokaAI', 'Mk', 'https://api.moka.ai'),
  type(CHANNEL_TYPE.dify, 'Dify', 'Df', 'https://api.dify.ai', {
    note: {
      zh: '密钥对应一个聊天应用，模型名称只用于计费。',
      en: 'The key belongs to one chat application; the model name only decides the price.',
    },
  }),
  type(CHANNEL_TYPE.coze, 'Coze', 'Cz', 'https://api.coze.cn', {
    otherLabel: { zh: '智能体 ID', en: 'Bot ID' },
    otherExample: '7342866812345',
    note: {
      zh: '留空时以模型名称作为智能体 ID。',
      en: "Leave blank to use the model's name as the bot's ID.",
    },
  }),
  type(CHANNEL_TYPE.fastGpt, 'FastGPT', 'FG', 'https://fastgpt.run/api/openapi', {
    keyFormat: 'APIKey-AppId',
    baseUrlLabel: { zh: '私有部署地址', en: 'Address of the deployment' },
  }),
  type(CHANNEL_TYPE.aiProxyLibrary, 'AIProxy library', 'AL', 'https://api.aiproxy.io', {
    otherLabel: { zh: '知识库 ID', en: 'Knowledge base ID' },
    otherExample: '123456',
  }),
  type(CHANNEL_TYPE.midjourneyProxy, 'Midjourney Proxy', 'MJ', '', { ...OWN, presetsModels: true }),
  type(CHANNEL_TYPE.midjourneyProxyPlus, 'Midjourney Proxy Plus', 'M+', '', { ...OWN, presetsModels: true }),
  type(CHANNEL_TYPE.suno, 'Suno', 'Su', '', {
    ...OWN,
    presetsModels: true,
    baseUrlLabel: { zh: '接口地址（不含 /suno）', en: 'Address, without /suno' },
  }),
  type(CHANNEL_TYPE.kling, 'Kling', 'Kl', 'https://api.klingai.com', { keyFormat: 'AccessKey|SecretKey' }),
  type(CHANNEL_TYPE.jimeng, 'Jimeng', 'Jm', 'https://visual.volcengineapi.com', {
    keyFormat: 'AccessKey|SecretKey',
  }),
  type(CHANNEL_TYPE.vidu, 'Vidu', 'Vi', 'https://api.vidu.cn'),
  type(CHANNEL_TYPE.runway, 'Runway', 'Rw', 'https://api.dev.runwayml.com'),
  type(CHANNEL_TYPE.doubaoVideo, 'Doubao Video', 'DV', 'https://ark.cn-beijing.volces.com'),
  type(CHANNEL_TYPE.sora, 'Sora', 'So', 'https://api.openai.com'),
  type(CHANNEL_TYPE.replicate, 'Replicate', 'Re', 'https://api.replicate.com'),
  type(CHANNEL_TYPE.codex, 'Codex', 'Cx', 'https://chatgpt.com', {
    keyIsJson: true,
    keyFormat: '{"access_token": "…", "account_id": "…"}',
    note: {
      zh: '密钥为 Codex 登录后 auth.json 的完整内容；含 refresh_token 时到期会自动续期并写回。',
      en: 'The key is the whole auth.json that Codex wrote at login; with its refresh_token it is renewed and saved automatically.',
    },
  }),
  type(CHANNEL_TYPE.submodel, 'Submodel', 'Sm', 'https://llm.submodel.ai'),
  type(CHANNEL_TYPE.palm, 'PaLM', 'Pa', 'https://generativelanguage.googleapis.com', {
    note: {
      zh: 'PaLM 接口已停用，此类型的渠道按 Gemini 调用。',
      en: "PaLM's API was closed; channels of this type are called like Gemini.",
    },
  }),
  type(CHANNEL_TYPE.openAiMax, 'OpenAIMax', 'OM', 'https://api.openaimax.com'),
  type(CHANNEL_TYPE.ohMyGpt, 'OhMyGPT', 'OG', 'https://api.ohmygpt.com'),
  type(CHANNEL_TYPE.ails, 'AILS', 'AI', 'https://api.caipacity.com'),
  type(CHANNEL_TYPE.aiProxy, 'AIProxy', 'AP', 'https://api.aiproxy.io', { balance: 'aiproxy' }),
  type(CHANNEL_TYPE.api2Gpt, 'API2GPT', 'A2', 'https://api.api2gpt.com', { balance: 'api2gpt' }),
  type(CHANNEL_TYPE.aigc2d, 'AIGC2D', 'AG', 'https://api.aigc2d.com', { balance: 'aigc2d' }),
];
