/** Renders the open dialog of the page; loaded with the first dialog. */
import type { ChannelType, ChannelView } from '#contract/relay/channel-fields.ts';
import type { BalanceFailure } from '#web/features/channels/use-channel-actions.tsx';
import { BalancesDialog } from './balances-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { RevealDialog } from './reveal-dialog.tsx';
import { SetTagDialog } from './set-tag-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { TestAllDialog } from '#web/features/channels/test/test-all-dialog.tsx';
import { TestDialog } from '#web/features/channels/test/test-dialog.tsx';

export type OpenDialog =
  | { kind: 'test'; channels: readonly ChannelView[] }
  | { kind: 'test-all' }
  | { kind: 'import' }
  | { kind: 'balances'; failures: readonly BalanceFailure[] }
  | { kind: 'tag'; tag: string; channels: readonly ChannelView[] }
  | { kind: 'set-tag'; channels: readonly ChannelView[]; onSave: (tag: string) => Promise<void> }
  | { kind: 'reveal'; channel: ChannelView };

interface DialogsProps {
  dialog: OpenDialog;
  types: readonly ChannelType[] | undefined;
  groups: readonly string[] | undefined;
  onClose: () => void;
}

export function ChannelDialogs({ dialog, types, groups, onClose }: DialogsProps) {
  switch (dialog.kind) {
    case 'test':
      return <TestDialog channels={dialog.channels} onClose={onClose} />;
    case 'test-all':
      return <TestAllDialog onClose={onClose} />;
    case 'import':
      return <ImportDialog onClose={onClose} />;
    case 'balances':
      return <BalancesDialog failures={dialog.failures} onClose={onClose} />;
    case 'tag':
      return (
        <TagDialog
          tag={dialog.tag}
          channels={dialog.channels}
          types={types}
          groups={groups}
          onClose={onClose}
        />
      );
    case 'set-tag':
      return <SetTagDialog channels={dialog.channels} onSave={dialog.onSave} onClose={onClose} />;
    case 'reveal':
      return <RevealDialog channel={dialog.channel} onClose={onClose} />;
    default:
      return null;
  }
}
