// Amazon Bedrock. Claude is called in Anthropic's format (InvokeModel), all other models through Converse. Requests are
// signed; streams use Amazon's binary framing.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { bedrockConverse } from '#server/models/formats/bedrock-converse/index.ts';
import { BEDROCK_BETAS, withBetas } from '#server/models/providers/anthropic/betas.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { bedrockEmbeddings } from './bedrock-embeddings.ts';
import { bedrockModel, isClaude } from './bedrock-models.ts';
import { namesIn, textIn } from '#server/models/providers/shared/json.ts';
import type { Provider, ProviderChannel } from '#server/models/providers/provider.ts';
import { signAws, type AwsCredentials } from '#server/models/providers/signing/aws.ts';

const DEFAULT_REGION = 'us-east-1';

/** `us-east-1`, `us-gov-west-1`: another text could end the host name and send the signed request to another server. */
const isRegion = (text: string): boolean => /^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$/.test(text);

const isEmbedding = (model: string): boolean => /embed/.test(model);

/** Error types that blame the account, not the request. */
const ACCOUNT_FAULTS = new Set([
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'AccessDeniedException',
  'IncompleteSignature',
  'InvalidClientTokenId',
]);

export const bedrock: Provider = {
  type: CHANNEL_TYPE.bedrock,
  speaks: ['anthropic-messages', 'own', 'openai-embeddings'],
  speaksFor(model) {
    if (isClaude(model)) return ['anthropic-messages'];
    return isEmbedding(model) ? ['openai-embeddings'] : ['own'];
  },
  takesContentOnly: true,
  decidesAddress(other) {
    const region = other.trim() || DEFAULT_REGION;
    return isRegion(region) ? [hostIn(region, 'bedrock-runtime')] : undefined;
  },
  url(channel, { model, format, isStream }) {
    const base = hostOf(channel, 'bedrock-runtime');
    const name = encodeURIComponent(bedrockModel(model, credentialsOf(channel).region));
    const verb =
      format === 'own'
        ? isStream
          ? 'converse-stream'
          : 'converse'
        : isStream
          ? 'invoke-with-response-stream'
          : 'invoke';
    return `${base}/model/${name}/${verb}`;
  },
  headers(channel): Record<string, string> {
    const { apiKey } = credentialsOf(channel);
    return apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  },
  authorize(channel, request, tools): Record<string, string> {
    const { apiKey, ...credentials } = credentialsOf(channel);
    return apiKey === undefined ? signAws(request, credentials, 'bedrock', tools.now()) : {};
  },
  adjust(body, { format, betas }, _channel, notes) {
    if (format !== 'anthropic-messages') return body;
    // The URL contains the model and the streaming mode.
    const { model: _model, stream: _stream, ...rest } = body;
    return { anthropic_version: 'bedrock-2023-05-31', ...withBetas(rest, betas, BEDROCK_BETAS, notes) };
  },
  // The body contains the version and the betas.
  callerHeader: () => undefined,
  ownCodec: bedrockConverse,
  framing: ({ isStream }) => (isStream ? 'aws-event-stream' : 'sse'),
  tasks: { 'openai-embeddings': bedrockEmbeddings },
  refusalIn(body, status) {
    if (status < 400) return undefined;
    const message = textIn(body, 'message') || textIn(body, 'Message');
    const code = textIn(body, '__type').replace(/^.*#/, '');
    const isAccountFault =
      ACCOUNT_FAULTS.has(code) || /security token|not authorized|signature/i.test(message);
    return { message, type: code, code, status, isAccountFault: isAccountFault && status !== 429 };
  },
  listing: {
    url: (channel) => `${hostOf(channel, 'bedrock')}/foundation-models`,
    names: (answer) => namesIn(answer, 'modelSummaries', 'modelId'),
  },
};

function hostOf(channel: ProviderChannel, service: string): string {
  if (channel.baseUrl !== '') return baseOf(channel, CHANNEL_TYPE.bedrock);
  return `https://${hostIn(credentialsOf(channel).region, service)}`;
}

const hostIn = (region: string, service: string): string => `${service}.${region}.amazonaws.com`;

type Credentials = AwsCredentials & { apiKey?: string };

/** `AccessKey|SecretKey|Region`, a fourth part for temporary credentials; or `APIKey|Region`. */
function credentialsOf({ key, other }: ProviderChannel): Credentials {
  const parts = key.split('|').map((part) => part.trim());
  const [first = '', second = '', third = '', sessionToken] = parts;
  const region = [parts.length < 3 ? second : third, other.trim()].find(isRegion) ?? DEFAULT_REGION;
  if (parts.length < 3) return { apiKey: first, accessKey: '', secretKey: '', region };
  return {
    accessKey: first,
    secretKey: second,
    region,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}
