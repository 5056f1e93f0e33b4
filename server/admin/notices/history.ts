// What was raised in the last thirty days, with the state of each delivery.
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { wordsIn } from '#contract/facts.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type {
  NoticeDeliveryView,
  notices,
  NoticeState,
  NoticeView,
  operatorNotices,
} from '#contract/admin/notices.ts';
import type { Language } from '#contract/language.ts';
import { deliveryWords, HISTORY_SECONDS, noticeText } from '#server/platform/notices/index.ts';
import type { SelectQueryBuilder } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { NoticeDependencies } from './dependencies.ts';

export function ownNotices(dependencies: NoticeDependencies): Handler<typeof notices.history> {
  return async ({ query }, context) => {
    const { id } = callerOf(context);
    const own = await page(dependencies, query, context.language, (rows) =>
      rows.where('notices.user_id', '=', id),
    );
    return { ...own, items: own.items.map(withoutMailErrors) };
  };
}

export function allNotices(dependencies: NoticeDependencies): Handler<typeof operatorNotices.history> {
  return async ({ query }, context) => {
    const { receiver, state } = query;
    return await page(dependencies, query, context.language, (rows) => {
      const received =
        receiver === 'all' ? rows : rows.where('notices.user_id', receiver === 'users' ? '>' : '=', 0);
      if (state === 'all') return received;
      return received.where((where) =>
        where.exists(
          where
            .selectFrom('notice_deliveries')
            .leftJoin('mails', 'mails.id', 'notice_deliveries.mail_id')
            .select('notice_deliveries.id')
            .whereRef('notice_deliveries.notice_id', '=', 'notices.id')
            .where((state) =>
              state.or([state('notice_deliveries.status', '=', 'dead'), state('mails.status', '=', 'dead')]),
            ),
        ),
      );
    });
  };
}

/** The words of the operator's mail server are not for users. */
function withoutMailErrors(notice: NoticeView): NoticeView {
  const deliveries = notice.deliveries.map((delivery) =>
    delivery.kind === 'mail' ? { ...delivery, error: '' } : delivery,
  );
  return { ...notice, deliveries };
}

type Notices = SelectQueryBuilder<Schema, 'notices', object>;

async function page(
  { store, settings }: NoticeDependencies,
  query: { p: number; size?: number | undefined; page_size?: number | undefined },
  language: Language,
  filter: (rows: Notices) => Notices,
) {
  const since = unixSeconds() - HISTORY_SECONDS;
  const pageSize = pageSizeOf(query);
  const found = filter(store.db.selectFrom('notices').where('notices.created_at', '>=', since));
  const [rows, { total }] = await Promise.all([
    found
      .leftJoin('users', 'users.id', 'notices.user_id')
      .selectAll('notices')
      .select('users.username')
      .orderBy('notices.id', 'desc')
      .limit(pageSize)
      .offset((query.p - 1) * pageSize)
      .execute(),
    found.select((build) => build.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const deliveries = await deliveriesOf(
    store.db,
    rows.map(({ id }) => id),
    language,
  );
  const items = rows.map((row): NoticeView => {
    const username = row.username ?? '';
    const { title, text } = noticeText(row, { settings: settings.current, username });
    return {
      id: row.id,
      created_at: row.created_at,
      event: row.event,
      user_id: row.user_id,
      username,
      title: title[language],
      text: text[language],
      is_dispatched: row.dispatched_at > 0,
      deliveries: deliveries.get(row.id) ?? [],
    };
  });
  return { items, total, page: query.p, page_size: pageSize };
}

async function deliveriesOf(
  db: NoticeDependencies['store']['db'],
  noticeIds: readonly number[],
  language: Language,
): Promise<Map<number, NoticeDeliveryView[]>> {
  if (noticeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('notice_deliveries')
    .leftJoin('mails', 'mails.id', 'notice_deliveries.mail_id')
    .selectAll('notice_deliveries')
    .select([
      'mails.status as mail_status',
      'mails.tries as mail_tries',
      'mails.next_try_at as mail_next',
      'mails.sent_at as mail_sent',
      'mails.error as mail_error',
    ])
    .where('notice_id', 'in', noticeIds)
    .orderBy('notice_deliveries.id')
    .execute();
  const views = rows.map((row) => {
    const mail = row.mail_id === null ? undefined : row;
    return {
      noticeId: row.notice_id,
      view: {
        id: row.id,
        kind: row.kind as NoticeDeliveryView['kind'],
        way_name: row.way_name,
        // The row of an old mail is gone: it was sent or given up long ago.
        status: (mail ? (mail.mail_status ?? 'expired') : row.status) as NoticeState,
        tries: mail?.mail_tries ?? row.tries,
        next_try_at: mail?.mail_next ?? row.next_try_at,
        sent_at: mail?.mail_sent ?? row.sent_at,
        error: mail ? wordsIn(language, mail.mail_error ?? '') : deliveryWords(language, row.error),
      },
    };
  });
  const grouped = Map.groupBy(views, ({ noticeId }) => noticeId);
  return new Map([...grouped].map(([id, entries]) => [id, entries.map(({ view }) => view)]));
}
