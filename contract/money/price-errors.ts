// Refusals of the price book; part of the list in contract/errors.ts.
import { entry } from '#contract/error-entry.ts';

export const PRICE_ERRORS = {
  price_draft_changed: entry(
    409,
    '其他人已修改此草稿，请刷新后重试',
    'Another operator has changed this draft. Refresh and try again.',
    'revision of the draft differs',
  ),
  price_draft_closed: entry(
    409,
    '此草稿的状态不允许该操作，请刷新后重试',
    "The draft's status no longer allows this. Refresh and try again.",
    'status of the draft',
  ),
  price_draft_outdated: entry(
    409,
    '价格已变为版本 {version}。请先查看期间的变化，再重新发布',
    'Prices have changed to version {version}. Review the changes, then publish again.',
    'running version is not the one the operator saw',
  ),
  price_draft_conflict: entry(
    409,
    '{names} 在此期间已被改动，草稿没有按时发布',
    'The draft was not published as scheduled because {names} had changed',
    'scheduled draft and the running prices changed the same entries',
  ),
  price_draft_empty: entry(
    200,
    '草稿与当前价格相同，没有可发布的内容',
    'The draft is the same as the current prices, so there is nothing to publish',
    'no change against the running version',
  ),
  price_time_past: entry(
    200,
    '请选择将来的时间',
    'Choose a time in the future',
    'publish_at is not later than now',
  ),
  price_list_unreadable: entry(
    200,
    '无法识别此价格表：{detail}',
    'This price list cannot be read: {detail}',
    'import in no known shape',
  ),
  price_list_unreachable: entry(
    200,
    '无法读取此地址：{detail}',
    'This address cannot be read: {detail}',
    'fetch of a price list failed',
  ),
};
