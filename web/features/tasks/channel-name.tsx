/** The channel of a task, for administrators: its name leads to its page. */
import { Link } from '@tanstack/react-router';
import { Empty } from '#web/ui/badge/empty.tsx';

interface ChannelNameProps {
  row: { channel_id: number; channel_name: string };
}

export function ChannelName({ row: { channel_id: id, channel_name: name } }: ChannelNameProps) {
  if (id === 0) return <Empty />;
  if (name === '') return <span className="muted">#{id}</span>;
  return (
    <Link
      to="/channel/$id"
      params={{ id: String(id) }}
      className="quiet-link"
      onClick={(event) => event.stopPropagation()}
    >
      {name}
    </Link>
  );
}
