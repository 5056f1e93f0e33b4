// The list of ways. A new one is a file and a line here. Mail is no entry: its notices go to the queue of mails.
import type { NoticeWayKind } from '#contract/admin/notices.ts';
import { bark } from './bark.ts';
import { dingtalk } from './dingtalk.ts';
import { feishu } from './feishu.ts';
import { gotify } from './gotify.ts';
import { telegram } from './telegram.ts';
import type { Way } from './way.ts';
import { webhook } from './webhook.ts';
import { wecom } from './wecom.ts';

export const WAYS: Readonly<Record<Exclude<NoticeWayKind, 'mail'>, Way>> = {
  webhook,
  bark,
  gotify,
  telegram,
  feishu,
  wecom,
  dingtalk,
};

export function wayOf(kind: string): Way | undefined {
  return Object.values(WAYS).find((way) => way.kind === kind);
}
