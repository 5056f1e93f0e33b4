/** The `<form>` of `useForm`, without the browser's own validation. */
import type { ReactNode } from 'react';
import { focusFirstError } from './refusal.tsx';
import type { Sending } from './use-form.ts';

interface FormElementProps {
  form: Pick<Sending, 'submit'>;
  className?: string | undefined;
  children: ReactNode;
}

export function FormElement({ form, className, children }: FormElementProps) {
  return (
    <form
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const element = event.currentTarget;
        form.submit();
        // After the problems are shown.
        requestAnimationFrame(() => focusFirstError(element));
      }}
    >
      {children}
    </form>
  );
}
