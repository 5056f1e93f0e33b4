/** A form of the personal tab in a dialog. */
import type { ComponentProps } from 'react';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import classes from './dialog.module.css';

export function PersonalDialog({ aside, ...props }: ComponentProps<typeof FormDialog>) {
  return (
    <FormDialog
      className={`stack12 ${classes.fields}`}
      buttons="flow8 buttons top4"
      aside={aside ? <span className={classes.aside}>{aside}</span> : undefined}
      {...props}
    />
  );
}
