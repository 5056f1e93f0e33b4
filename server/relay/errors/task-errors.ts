// Errors of tasks, and of files and batches.
import { entry, type Entry } from './error-entry.ts';

export const taskErrors = {
  submission_unconfirmed: entry(
    502,
    '上游未确认收到任务，可能已在处理；未转发到其他渠道，也未扣费',
    'The upstream did not confirm the task and may already be working on it. It was not sent to another channel, and nothing was charged.',
  ),
  task_unknown: entry(404, '任务不存在', 'There is no such task'),
  task_unfinished: entry(
    400,
    '任务尚未完成，请等待完成后再操作',
    'The task is not finished yet. Wait until it is, then continue from it.',
  ),
  task_channel_away: entry(
    503,
    '生成该内容的渠道暂不可用，请稍后再试',
    'The channel that made this is unavailable. Try again later.',
  ),
  video_busy: entry(
    400,
    '视频正在生成，上游无法取消，请等待完成后再删除',
    'The video is still being made and the upstream cannot cancel it. Delete it when it is finished.',
  ),
  video_action_unsupported: entry(
    400,
    '生成该视频的平台不支持 {action}',
    'The platform that made this video does not support {action}',
  ),
  file_unknown: entry(404, '文件 {id} 不存在', 'No such File object: {id}'),
  file_too_large: entry(
    413,
    '文件超过 {megabytes} MB 的上限',
    'The file is larger than the limit of {megabytes} MB',
  ),
  files_full: entry(
    400,
    '文件数量已达上限 {count}，请先删除不再使用的文件',
    'You have reached the limit of {count} files. Delete some first.',
  ),
  file_channel_away: entry(
    503,
    '保存文件 {id} 的渠道暂不可用，请稍后再试',
    'The channel that keeps the file {id} is not available. Try again later.',
  ),
  file_not_for_batches: entry(
    400,
    '文件 {id} 的 purpose 不是 batch，无法用于批处理',
    'The file {id} was not uploaded with the purpose batch',
  ),
  batch_unknown: entry(404, '批处理 {id} 不存在', "No batch found with ID '{id}'"),
  batch_unfinished: entry(400, '批处理 {id} 尚未结束', 'The batch {id} has not ended yet'),
  batch_channel_away: entry(
    503,
    '执行批处理 {id} 的渠道暂不可用，请稍后再试',
    'The channel that runs the batch {id} is not available. Try again later.',
  ),
  batch_empty: entry(400, '批处理中没有请求', 'The batch contains no requests'),
  batch_too_many: entry(400, '批处理最多包含 {count} 个请求', 'A batch contains at most {count} requests'),
  batch_same_id: entry(400, 'custom_id {id} 重复', 'The custom_id {id} is used twice'),
  batch_other_model: entry(
    400,
    '一个批处理只能使用一个模型：此处为 {other}，之前为 {model}',
    'All requests in a batch must use the same model: this one uses {other}, the earlier ones {model}',
  ),
  batch_other_endpoint: entry(
    400,
    'url {other} 与批处理的接口 {path} 不同',
    "The url {other} differs from the batch's endpoint, {path}",
  ),
  batch_endpoint: entry(
    400,
    'url {path} 不能用于批处理，可用：{paths}',
    'The url {path} cannot be used in a batch; allowed are {paths}',
  ),
  batch_stream: entry(400, '批处理中的请求不支持流式输出', 'Requests in a batch cannot be streamed'),
  no_batch_channel: entry(
    400,
    '当前分组 {group} 下没有可执行模型 {model} 批处理的渠道',
    'No channel in the group {group} runs batches for the model {model}',
  ),
  no_file_channel: entry(
    400,
    '当前分组 {group} 下没有可保存文件的渠道',
    'No channel in the group {group} can store files',
  ),
} as const satisfies Record<string, Entry>;
