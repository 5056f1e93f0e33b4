/** Loads the step-up dialog when a call needs it. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { onStepUp } from '#web/api/step-up.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Dialog = lazy(async () => {
  const [dialog] = await Promise.all([
    loadPart(() => import('#web/features/personal/step-up-dialog.tsx')),
    loadMessages('personal'),
  ]);
  return dialog;
});

export function StepUpHost() {
  const [answer, setAnswer] = useState<(proven: boolean) => void>();
  useEffect(() => {
    onStepUp(
      () =>
        new Promise((resolve) => {
          setAnswer(() => (proven: boolean) => {
            setAnswer(undefined);
            resolve(proven);
          });
        }),
    );
    return () => onStepUp(() => Promise.resolve(false));
  }, []);
  if (!answer) return null;
  return (
    <Suspense>
      <Dialog onAnswer={answer} />
    </Suspense>
  );
}
