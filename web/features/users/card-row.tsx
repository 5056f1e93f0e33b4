/** A user on the phone: name and state, role and group, bar and balance. */
import type { ReactNode } from 'react';
import type { ManagedUser } from '#contract/admin/users.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { BalanceCell, BindingsCell, isGuarded, NameCell, RoleCell, StateCell } from './cells.tsx';
import { isHidden, type Me } from './user-state.ts';
import classes from './users.module.css';

export function UserCardRow({ user, me, menu }: { user: ManagedUser; me: Me; menu: ReactNode }) {
  const hidden = isHidden(user, me);
  return (
    <>
      <CardHead
        name={
          <span className={classes.cardName}>
            <NameCell user={user} own={user.id === me.id} />
          </span>
        }
      >
        <StateCell user={user} />
        {menu}
      </CardHead>
      <CardLine>
        <span className="inline6">
          <GroupTag group={user.group} />
          <RoleCell user={user} />
        </span>
        {hidden || !isGuarded(user) ? null : <BindingsCell user={user} hidden={false} />}
      </CardLine>
      <CardLine>
        <BalanceCell user={user} hidden={hidden} />
      </CardLine>
    </>
  );
}
