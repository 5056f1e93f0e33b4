/** A form in the drawer: what was changed and what is to fix stand beside the buttons. */
import { Button } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Sending } from '#web/ui/input/use-form.ts';
import { Drawer, DrawerFoot } from './drawer.tsx';

type Head = Pick<
  ComponentProps<typeof Drawer>,
  'title' | 'subtitle' | 'headActions' | 'onClose' | 'children'
>;

interface FormDrawerProps extends Head {
  form: Sending & { changed: number; shownProblems: number };
  /** Of a new object, whose button can always be pressed; otherwise it is Save. */
  createLabel: string | undefined;
  /** Also without a change: the form says what is missing. */
  savesUnchanged?: boolean;
  /** At the end of the foot. */
  right?: ReactNode;
}

export function FormDrawer({ form, createLabel, savesUnchanged, right, ...head }: FormDrawerProps) {
  const { t } = useTranslation('ui');
  const changed = createLabel === undefined ? form.changed : 0;
  const isIdle = createLabel === undefined && !savesUnchanged && changed === 0;
  return (
    <Drawer
      {...head}
      onSubmit={form.submit}
      form={form}
      footer={
        <DrawerFoot changed={changed} problems={form.shownProblems} refusal={form.refusal} right={right}>
          <Button type="submit" loading={form.isSending} disabled={isIdle}>
            {createLabel ?? t('action.save')}
          </Button>
          <Button variant="default" onClick={head.onClose}>
            {t('action.cancel')}
          </Button>
        </DrawerFoot>
      }
    />
  );
}
