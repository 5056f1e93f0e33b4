/** The dialog of a new organization, with its words; the reader acts for it at once. */
import { lazy } from 'react';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { useOpenScope } from './use-open-scope.ts';

const Dialog = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/organizations/create-dialog.tsx'),
      loadMessages('organizations'),
    ]);
    return { default: part.CreateDialog };
  }),
);

export function NewOrganization({ onClose }: { onClose: () => void }) {
  const open = useOpenScope({ isNew: true });
  return <Dialog onClose={onClose} onCreated={open} />;
}
