// The paths of the relay that no table of code has: listings, stored responses, files, batches, tasks.
import type { Text } from '#contract/language.ts';

export interface Listing {
  method: 'get' | 'post' | 'delete';
  path: string;
  summary: Text;
}

const TEXT: readonly Listing[] = [
  { method: 'get', path: '/v1/models', summary: { zh: '可用模型', en: 'Models this key may use' } },
  { method: 'get', path: '/v1/models/{model}', summary: { zh: '单个模型', en: 'One model' } },
  {
    method: 'get',
    path: '/v1beta/models',
    summary: { zh: '可用模型（Gemini 格式）', en: 'Models this key may use, as Gemini lists them' },
  },
  {
    method: 'get',
    path: '/v1beta/models/{model}',
    summary: { zh: '单个模型（Gemini 格式）', en: 'One model, as Gemini shows it' },
  },
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
    summary: { zh: '读取已保存的响应', en: 'Read a stored response' },
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: { zh: '删除已保存的响应', en: 'Delete a stored response' },
  },
  {
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    summary: { zh: '已保存的响应的输入', en: 'Input of a stored response' },
  },
  {
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    summary: { zh: '取消后台响应', en: 'Cancel a response in the background' },
  },
  {
    method: 'post',
    path: '/v1/responses/input_tokens',
    summary: { zh: '估算 Responses 的输入 token', en: 'Count the input tokens of a response' },
  },
  {
    method: 'post',
    path: '/v1/conversations',
    summary: { zh: '创建对话', en: 'Create a conversation' },
  },
  {
    method: 'get',
    path: '/v1/conversations/{id}',
    summary: { zh: '读取对话', en: 'Read a conversation' },
  },
  {
    method: 'post',
    path: '/v1/conversations/{id}',
    summary: { zh: '修改对话的元数据', en: 'Change the metadata of a conversation' },
  },
  {
    method: 'delete',
    path: '/v1/conversations/{id}',
    summary: { zh: '删除对话', en: 'Delete a conversation' },
  },
  {
    method: 'get',
    path: '/v1/conversations/{id}/items',
    summary: { zh: '对话的条目', en: 'Items of a conversation' },
  },
  {
    method: 'post',
    path: '/v1/conversations/{id}/items',
    summary: { zh: '添加条目', en: 'Add items to a conversation' },
  },
  {
    method: 'get',
    path: '/v1/conversations/{id}/items/{item}',
    summary: { zh: '单个条目', en: 'One item of a conversation' },
  },
  {
    method: 'delete',
    path: '/v1/conversations/{id}/items/{item}',
    summary: { zh: '删除条目', en: 'Delete an item of a conversation' },
  },
  {
    method: 'post',
    path: '/v1/realtime/client_secrets',
    summary: { zh: '签发实时会话的临时密钥', en: 'Issue a short-lived secret for a realtime session' },
  },
  {
    method: 'post',
    path: '/v1/realtime/sessions',
    summary: { zh: '签发临时密钥（旧接口）', en: 'Issue a short-lived secret (older endpoint)' },
  },
  {
    method: 'post',
    path: '/v1/realtime/transcription_sessions',
    summary: {
      zh: '签发转写会话的临时密钥（旧接口）',
      en: 'Issue a secret for a transcription session (older endpoint)',
    },
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
    summary: { zh: '用输入文件创建批处理', en: 'Create a batch from an input file' },
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
    summary: { zh: '创建消息批处理', en: 'Create a batch of messages' },
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
  { method: 'get', path: '/v1/videos/{id}/content', summary: { zh: '视频文件', en: 'The file of a video' } },
  { method: 'post', path: '/v1/videos/{id}/remix', summary: { zh: '重制视频', en: 'Remix a video' } },
  { method: 'post', path: '/v1/video/generations', summary: { zh: '生成视频', en: 'Create a video' } },
  {
    method: 'get',
    path: '/v1/video/generations/{id}',
    summary: { zh: '视频的状态', en: 'State of a video' },
  },
  {
    method: 'post',
    path: '/kling/v1/videos/{action}',
    summary: {
      zh: '生成视频（可灵格式：text2video、image2video）',
      en: "Create a video in Kling's format: text2video or image2video",
    },
  },
  {
    method: 'get',
    path: '/kling/v1/videos/{action}/{id}',
    summary: { zh: '视频的状态（可灵格式）', en: "State of a video in Kling's format" },
  },
];

const DRAWINGS_AND_MUSIC: readonly Listing[] = [
  {
    method: 'post',
    path: '/mj/submit/{action}',
    summary: {
      zh: '提交绘图；/mj-fast、/mj-relax、/mj-turbo 指定速度',
      en: 'Submit a drawing; /mj-fast, /mj-relax and /mj-turbo set the speed',
    },
  },
  { method: 'get', path: '/mj/task/{id}/fetch', summary: { zh: '绘图的状态', en: 'State of a drawing' } },
  {
    method: 'get',
    path: '/mj/task/{id}/image-seed',
    summary: { zh: '绘图的种子', en: 'Seed of a drawing' },
  },
  {
    method: 'post',
    path: '/mj/task/list-by-condition',
    summary: { zh: '多个绘图的状态', en: 'State of several drawings' },
  },
  { method: 'get', path: '/mj/image/{id}', summary: { zh: '绘图的图片', en: 'Image of a drawing' } },
  { method: 'post', path: '/suno/submit/music', summary: { zh: '生成歌曲', en: 'Create a song' } },
  { method: 'post', path: '/suno/submit/lyrics', summary: { zh: '生成歌词', en: 'Create lyrics' } },
  { method: 'get', path: '/suno/fetch/{id}', summary: { zh: '任务的状态', en: 'State of a task' } },
  { method: 'post', path: '/suno/fetch', summary: { zh: '多个任务的状态', en: 'State of several tasks' } },
  {
    method: 'get',
    path: '/media/{task}/{file}',
    summary: {
      zh: '任务结果的文件，凭地址中的 key',
      en: 'The file of a result, with the key from its address',
    },
  },
];

/** With an admin key instead of a token. */
const REPORTS: readonly Listing[] = [
  {
    method: 'get',
    path: '/v1/organization/usage/{kind}',
    summary: {
      zh: '用量报表（OpenAI 格式），需要管理密钥',
      en: "Usage in OpenAI's format, with an admin key",
    },
  },
  {
    method: 'get',
    path: '/v1/organization/costs',
    summary: {
      zh: '费用报表（OpenAI 格式），需要管理密钥',
      en: "Costs in OpenAI's format, with an admin key",
    },
  },
  {
    method: 'get',
    path: '/v1/organizations/usage_report/messages',
    summary: {
      zh: '用量报表（Anthropic 格式），需要管理密钥',
      en: "Usage in Anthropic's format, with an admin key",
    },
  },
  {
    method: 'get',
    path: '/v1/organizations/cost_report',
    summary: {
      zh: '费用报表（Anthropic 格式），需要管理密钥',
      en: "Costs in Anthropic's format, with an admin key",
    },
  },
];

export const LISTINGS: readonly Listing[] = [...TEXT, ...VIDEOS, ...DRAWINGS_AND_MUSIC, ...REPORTS];
