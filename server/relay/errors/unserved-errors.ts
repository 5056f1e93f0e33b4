// Errors for endpoints of the vendors that the gateway does not serve, and for calls that no target of a virtual model takes.
import { entry, type Entry } from './error-entry.ts';

export const unservedErrors = {
  no_target: entry(
    400,
    '模型 {model} 的各个目标都不接受这次调用。请缩短提示词、换用其他模型，或联系管理员',
    'None of the models behind {model} takes this call. Shorten the prompt, use another model, or ask the administrator.',
  ),
  not_supported: entry(501, '暂不支持该接口', 'This endpoint is not supported'),
  state_not_kept: entry(
    501,
    '本网关不提供 {path}：其数据会存放在上游账户中，无法按用户隔离',
    "{path} is not offered, because its data would be kept in the upstream's account, where users cannot be separated",
  ),
  use_instead: entry(
    501,
    '本网关不提供 {path}，请改用 {instead}',
    '{path} is not offered here. Use {instead} instead.',
  ),
  no_realtime_calls: entry(
    501,
    '本网关不提供 WebRTC 与 SIP 通话，请打开 WebSocket /v1/realtime',
    'WebRTC and SIP calls are not offered. Open the WebSocket /v1/realtime instead.',
  ),
  websocket_not_served: entry(
    426,
    '该接口不支持 WebSocket，请改用 POST 并设置 "stream": true',
    'This endpoint has no WebSocket. Send a POST with "stream": true instead.',
  ),
} as const satisfies Record<string, Entry>;
