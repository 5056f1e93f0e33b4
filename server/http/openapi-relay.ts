// The model calls in the API description. Bodies and answers are those of the vendors' APIs, which their own documents describe:
// here is what can be called, with which key, and how errors look.
import type { Language, Text } from '#contract/language.ts';
import {
  compactEndpoint,
  geminiEndpoints,
  relayEndpoints,
  type RelayEndpoint,
} from '#server/relay/request/endpoints.ts';
import type { JsonSchema } from './openapi-schema.ts';

interface Listing {
  method: 'get' | 'post' | 'delete';
  path: string;
  summary: Text;
}

const LISTINGS: readonly Listing[] = [
  { method: 'get', path: '/v1/models', summary: { zh: '可用模型', en: 'Models this key may use' } },
  { method: 'get', path: '/v1/models/{model}', summary: { zh: '单个模型', en: 'One model' } },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    summary: { zh: '计算消息的 token 数', en: 'Count the tokens of a message' },
  },
  {
    method: 'get',
    path: '/v1/realtime',
    summary: { zh: '实时会话（WebSocket）', en: 'Realtime session (WebSocket)' },
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    summary: { zh: '读取已保存的回应', en: 'Read a stored response' },
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: { zh: '删除已保存的回应', en: 'Delete a stored response' },
  },
  { method: 'post', path: '/v1/files', summary: { zh: '上传文件', en: 'Upload a file' } },
  { method: 'get', path: '/v1/files', summary: { zh: '自己的文件', en: 'Your files' } },
  { method: 'get', path: '/v1/files/{id}', summary: { zh: '单个文件', en: 'One file' } },
  { method: 'delete', path: '/v1/files/{id}', summary: { zh: '删除文件', en: 'Delete a file' } },
  {
    method: 'get',
    path: '/v1/files/{id}/content',
    summary: { zh: '文件内容', en: 'The content of a file' },
  },
  {
    method: 'post',
    path: '/v1/batches',
    summary: { zh: '用输入文件创建批处理', en: 'Make a batch of an input file' },
  },
  { method: 'get', path: '/v1/batches', summary: { zh: '自己的批处理', en: 'Your batches' } },
  { method: 'get', path: '/v1/batches/{id}', summary: { zh: '单个批处理', en: 'One batch' } },
  {
    method: 'post',
    path: '/v1/batches/{id}/cancel',
    summary: { zh: '取消批处理', en: 'Cancel a batch' },
  },
  {
    method: 'post',
    path: '/v1/messages/batches',
    summary: { zh: '创建消息批处理', en: 'Make a batch of messages' },
  },
  {
    method: 'get',
    path: '/v1/messages/batches',
    summary: { zh: '自己的消息批处理', en: 'Your batches of messages' },
  },
  {
    method: 'get',
    path: '/v1/messages/batches/{id}',
    summary: { zh: '单个消息批处理', en: 'One batch of messages' },
  },
  {
    method: 'delete',
    path: '/v1/messages/batches/{id}',
    summary: { zh: '删除已结束的消息批处理', en: 'Delete a batch of messages that has ended' },
  },
  {
    method: 'post',
    path: '/v1/messages/batches/{id}/cancel',
    summary: { zh: '取消消息批处理', en: 'Cancel a batch of messages' },
  },
  {
    method: 'get',
    path: '/v1/messages/batches/{id}/results',
    summary: { zh: '消息批处理的结果（JSONL）', en: 'The results of a batch of messages, as JSONL' },
  },
  {
    method: 'get',
    path: '/v1/dashboard/billing/subscription',
    summary: { zh: '令牌的额度', en: 'Quota of the key' },
  },
  {
    method: 'get',
    path: '/v1/dashboard/billing/usage',
    summary: { zh: '令牌的用量', en: 'Usage of the key' },
  },
];

const VIDEOS: readonly Listing[] = [
  { method: 'post', path: '/v1/videos', summary: { zh: '生成视频', en: 'Create a video' } },
  { method: 'get', path: '/v1/videos', summary: { zh: '自己的视频', en: 'Your own videos' } },
  { method: 'get', path: '/v1/videos/{id}', summary: { zh: '视频的状态', en: 'State of a video' } },
  {
    method: 'delete',
    path: '/v1/videos/{id}',
    summary: { zh: '取消或删除视频', en: 'Cancel or delete a video' },
  },
  { method: 'get', path: '/v1/videos/{id}/content', summary: { zh: '视频文件', en: 'Bytes of a video' } },
  { method: 'post', path: '/v1/videos/{id}/remix', summary: { zh: '重制视频', en: 'Remix a video' } },
  { method: 'post', path: '/v1/video/generations', summary: { zh: '生成视频', en: 'Create a video' } },
  {
    method: 'get',
    path: '/v1/video/generations/{id}',
    summary: { zh: '视频的状态', en: 'State of a video' },
  },
];

const BODY: Text = {
  zh: '{format} 格式的请求体；未知字段原样转发。',
  en: 'A body in the format {format}; fields that the gateway does not know are passed on.',
};

export const RELAY_TAG = 'models';

export const relayComponents = {
  error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'code'],
        properties: {
          message: { type: 'string' },
          type: { type: 'string' },
          param: { type: ['string', 'null'] },
          code: { type: ['string', 'null'] },
        },
      },
    },
  },
  security: { type: 'http', scheme: 'bearer', description: 'sk-…' },
} as const;

/** Path → method → operation. */
export function relayPaths(language: Language): Record<string, Record<string, JsonSchema>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const add = (method: string, path: string, operation: JsonSchema) => {
    (paths[path] ??= {})[method] = {
      operationId: `${RELAY_TAG}.${method}${path.replaceAll(/[^a-z0-9]+/gi, '_')}`,
      tags: [RELAY_TAG],
      security: [{ apiKey: [] }],
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...operation,
      responses: {
        200: answer(path),
        default: { $ref: '#/components/responses/ModelCallFailed' },
      },
    };
  };
  for (const endpoint of [...relayEndpoints, compactEndpoint, ...Object.values(geminiEndpoints)])
    add('post', endpoint.path, { summary: endpoint.format, requestBody: bodyOf(endpoint, language) });
  for (const { method, path, summary } of [...LISTINGS, ...VIDEOS])
    add(method, path, { summary: summary[language] });
  return paths;
}

function bodyOf({ format, body, modelInPath, defaultModel }: RelayEndpoint, language: Language): JsonSchema {
  const type = body === 'json' ? 'application/json' : 'multipart/form-data';
  const needsModel = !modelInPath && defaultModel === undefined;
  const schema = {
    type: 'object',
    description: BODY[language].replace('{format}', format),
    ...(needsModel ? { required: ['model'] } : {}),
    ...(modelInPath ? {} : { properties: { model: { type: 'string', default: defaultModel } } }),
    additionalProperties: true,
  };
  return { required: true, content: { [type]: { schema } } };
}

function answer(path: string): JsonSchema {
  if (path === '/v1/audio/speech')
    return { description: 'OK', content: { 'audio/*': { schema: { type: 'string', format: 'binary' } } } };
  const schema = { type: 'object', additionalProperties: true };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return { description: 'OK', content: { 'application/json': { schema }, ...events } };
}
