/** A form in a dialog: its fields, the refusal, and the buttons. It asks before it closes when something was changed. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { RestoredNotice } from '#web/ui/input/restored-notice.tsx';
import type { Sending } from '#web/ui/input/use-form.ts';
import { CancelButton, DialogFrame } from './dialog-frame.tsx';

interface FormDialogProps {
  title: string;
  form: Sending;
  submitLabel: string;
  width?: number;
  danger?: boolean;
  /** The button cannot be pressed yet. */
  disabled?: boolean;
  /** The focus begins at the button: there is nothing to type. */
  startsAtSubmit?: boolean;
  /** How the fields stand. */
  className?: string;
  /** How the buttons stand. */
  buttons?: string;
  /** Before the buttons. */
  aside?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, form, submitLabel, width, danger, disabled, aside, onClose, children } = props;
  const { startsAtSubmit, className = 'stack12', buttons = 'buttons top4' } = props;
  return (
    <DialogFrame title={title} onClose={onClose} unsaved={form.unsaved} {...(width ? { width } : {})}>
      <FormElement form={form} className={className}>
        <RestoredNotice onDrop={form.dropDraft} />
        {children}
        <RefusalNotice refusal={form.refusal} />
        <div className={buttons}>
          {aside}
          <CancelButton />
          <Button
            type="submit"
            data-autofocus={startsAtSubmit || undefined}
            color={danger ? 'red' : undefined}
            disabled={disabled ?? false}
            loading={form.isSending}
          >
            {submitLabel}
          </Button>
        </div>
      </FormElement>
    </DialogFrame>
  );
}
