// The list of destinations. A new one is a file and a line here. Mail is no entry: its notices go to the queue of mails.
import type { NoticeDestinationKind } from '#contract/admin/notices.ts';
import { bark } from './bark.ts';
import { dingtalk } from './dingtalk.ts';
import { feishu } from './feishu.ts';
import { gotify } from './gotify.ts';
import { telegram } from './telegram.ts';
import type { Destination } from './destination.ts';
import { webhook } from './webhook.ts';
import { wecom } from './wecom.ts';

export const DESTINATIONS: Readonly<Record<Exclude<NoticeDestinationKind, 'mail'>, Destination>> = {
  webhook,
  bark,
  gotify,
  telegram,
  feishu,
  wecom,
  dingtalk,
};

export function destinationOf(kind: string): Destination | undefined {
  return Object.values(DESTINATIONS).find((destination) => destination.kind === kind);
}
