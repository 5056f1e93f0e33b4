/** A missing setting: the message for everybody, and for the super admin the way to the setting. */
import { Link } from '@tanstack/react-router';
import { IconInfoCircle } from '@tabler/icons-react';
import { isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import layout from '#web/ui/input/form.module.css';
import classes from './wallet.module.css';

interface MissingSettingProps {
  message: string;
  /** The words of the link. */
  setUp: string;
  tab: 'operation' | 'system';
}

export function MissingSetting({ message, setUp, tab }: MissingSettingProps) {
  const user = useUser();
  return (
    <p className={`row6 top4 caption ${classes.hint}`}>
      <IconInfoCircle size={14} stroke={1.6} aria-hidden />
      {message}
      {user && isRoot(user.role) ? (
        <Link to="/setting" search={{ tab }} className={layout.link}>
          {setUp}
        </Link>
      ) : null}
    </p>
  );
}
