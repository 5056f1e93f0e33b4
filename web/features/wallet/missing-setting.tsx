/** A missing setting: the message for everybody, and for the super admin the way to the setting. */
import { Link } from '@tanstack/react-router';
import { isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import layout from '#web/ui/input/form.module.css';

interface MissingSettingProps {
  message: string;
  /** The words of the link. */
  setUp: string;
  tab: 'operation' | 'system';
}

export function MissingSetting({ message, setUp, tab }: MissingSettingProps) {
  const user = useUser();
  return (
    <NoticeBox tone="info">
      {message}{' '}
      {user && isRoot(user.role) ? (
        <Link to="/setting" search={{ tab }} className={layout.link}>
          {setUp}
        </Link>
      ) : null}
    </NoticeBox>
  );
}
