/** The page of one user: facts, calls, the balance and what it is made of, keys, orders, events. */
import { useQuery } from '@tanstack/react-query';
import { IconFileInvoice, IconListDetails, IconPencil } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { UserPageView } from '#contract/admin/user-page.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { AuditEvents } from '#web/ui/audit/audit-events.tsx';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { UsePanel, ModelsPanel } from '#web/ui/thing/calls.tsx';
import { ThingColumns } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { StateCell } from '#web/features/users/cells.tsx';
import { ResellerDialog } from '#web/features/users/reseller-dialog.tsx';
import { userQueries } from '#web/features/users/queries.ts';
import { ActingItems } from '#web/features/users/row-menu.tsx';
import { userSearch } from '#web/features/users/search.ts';
import { useUserActions } from '#web/features/users/use-user-actions.tsx';
import { closedBy, userState, type Me } from '#web/features/users/user-state.ts';
import { Keys, Orders } from './belongings.tsx';
import { UserFacts } from './facts.tsx';
import { Entries, Money } from './money.tsx';

const UserDrawer = lazy(() =>
  import('#web/features/users/user-drawer.tsx').then((file) => ({ default: file.UserDrawer })),
);

const SIGNED_OUT: Me = { id: 0, role: 0 };

interface UserPageProps {
  id: number;
  /** The form is open over the page. */
  isEdited: boolean;
}

export function UserPage({ id, isEdited }: UserPageProps) {
  const { t } = useTranslation('users');
  const [search, change] = useAddress(userSearch);
  const me = useUser() ?? SIGNED_OUT;
  const navigate = useNavigate();
  const page = useQuery(userQueries.page(id, search.window ?? '24h'));
  const groups = useQuery(userQueries.groups());
  const [agent, setAgent] = useState<ManagedUser>();
  const back = <Link to="/user">{t('title')}</Link>;
  const { data, error } = page;
  const params = { id: String(id) };
  const edit = () => void navigate({ to: '/user/edit/$id', params });
  const drawer = isEdited ? (
    <Suspense>
      <UserDrawer open={id} groups={groups.data} onClose={() => void navigate({ to: '/user/$id', params })} />
    </Suspense>
  ) : null;
  const isMissing = error instanceof ApiError && error.status === 404;
  if (!data || isMissing)
    return (
      <ThingWaiting
        title={t('title')}
        back={back}
        error={error ? errorMessage(error) : undefined}
        isMissing={isMissing}
        onRetry={() => void page.refetch()}
      />
    );
  return (
    <Frame data={data} me={me} back={back} drawer={drawer} onEdit={edit} onAgent={setAgent}>
      <ThingColumns kind="facts">
        <UserFacts data={data} onEdit={closedBy(data.user, me) ? undefined : edit} />
        <UsePanel
          use={data.use}
          onWindow={(window) => change({ window }, { replace: true })}
          placeOf={({ at }) => ({
            to: '/log',
            search: { user: data.user.username, from: at, to: at + data.use.step - 1 },
          })}
        />
      </ThingColumns>
      <Money money={data.money} userId={id} />
      <ThingColumns kind="events">
        <div>
          <Keys keys={data.keys} count={data.key_count} />
          <Orders orders={data.orders} count={data.order_count} username={data.user.username} />
          <Entries entries={data.entries} />
          <ModelsPanel use={data.use} />
        </div>
        <AuditEvents events={data.events} trail={isRoot(me.role) ? `user:${id}` : undefined} />
      </ThingColumns>
      {agent ? <ResellerDialog user={agent} onClose={() => setAgent(undefined)} /> : null}
    </Frame>
  );
}

interface FrameProps {
  data: UserPageView;
  me: Me;
  back: ReactNode;
  drawer: ReactNode;
  onEdit: () => void;
  onAgent: (user: ManagedUser) => void;
  children: ReactNode;
}

function Frame({ data: { user, invites }, me, back, drawer, onEdit, onAgent, children }: FrameProps) {
  const { t } = useTranslation('users');
  const facts = useFacts();
  const actions = useUserActions();
  const buttons: ThingAction[] = [
    {
      label: t('card.logs'),
      icon: IconListDetails,
      renderRoot: (props) => <Link {...props} to="/log" search={{ user: user.username }} />,
    },
    {
      label: t('card.statement'),
      icon: IconFileInvoice,
      renderRoot: (props) => <Link {...props} to="/statement" search={{ user: user.id }} />,
    },
  ];
  const closed = closedBy(user, me);
  if (!closed) buttons.push({ label: t('action.edit'), icon: IconPencil, onClick: onEdit });
  const state = userState(user);
  return (
    <ThingPage
      back={back}
      name={user.username}
      tag={`#${user.id}`}
      state={<StateCell user={user} />}
      actions={buttons}
      menu={
        closed === 'deleted' ? undefined : (
          <ActingItems user={user} me={me} actions={actions} onEdit={onEdit} onAgent={onAgent} />
        )
      }
      alert={
        state === 'suspended' ? (
          <ThingAlert tone="warning">
            {user.suspended_reason === '' ? t('status.suspended') : facts.words(user.suspended_reason)}
            {' · '}
            {t('closed.suspended')}
          </ThingAlert>
        ) : undefined
      }
      drawer={drawer}
    >
      <InviteFlags invites={invites} />
      {children}
    </ThingPage>
  );
}

/** A hint, not a verdict: colleagues and families share addresses too. */
function InviteFlags({ invites }: Pick<UserPageView, 'invites'>) {
  const { t } = useTranslation('users');
  const { invited, same_address, inviter_same_address, same_payer, inviter_same_payer } = invites;
  return (
    <>
      {inviter_same_address ? <NoticeBox tone="warning">{t('card.inviterSameAddress')}</NoticeBox> : null}
      {same_address > 0 ? (
        <NoticeBox tone="warning">{t('card.invitedSameAddress', { count: same_address, invited })}</NoticeBox>
      ) : null}
      {inviter_same_payer ? <NoticeBox tone="warning">{t('card.inviterSamePayer')}</NoticeBox> : null}
      {same_payer > 0 ? (
        <NoticeBox tone="warning">{t('card.invitedSamePayer', { count: same_payer, invited })}</NoticeBox>
      ) : null}
    </>
  );
}
