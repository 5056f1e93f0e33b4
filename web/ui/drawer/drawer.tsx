/**
 * The drawer for creating and editing, opened by the URL. From 1280 px up it pushes the list aside and the list stays
 * usable; below it lies over the page and holds the focus. Its width can be dragged between 480 and 640.
 */
import { ActionIcon, FocusTrap, Portal, Tooltip } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { Fragment, useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { wasLayerAbove } from '#web/ui/feedback/escape.ts';
import { focusFirstError, RefusalNotice, type Refusal } from '#web/ui/input/refusal.tsx';
import { RestoredNotice } from '#web/ui/input/restored-notice.tsx';
import type { Unsaved } from '#web/ui/input/unsaved.ts';
import { usePhone, usePushesDrawer } from '#web/ui/page/breakpoints.ts';
import { useLeaveGuard } from './use-leave-guard.ts';
import { useDrawerWidth } from './width.ts';
import classes from './drawer.module.css';

interface DrawerProps {
  title: string;
  /** For example an id tag or a masked key. */
  subtitle?: ReactNode;
  headActions?: ReactNode;
  footer?: ReactNode;
  onClose: () => void;
  /** Wraps body and foot in a form. */
  onSubmit?: () => void;
  /** The state of the form in the drawer, from `useFields`. */
  form?: { unsaved: Unsaved; dropDraft: (() => void) | undefined };
  children: ReactNode;
}

function Body({ isOver, ...props }: DrawerProps & { isOver: boolean }) {
  const { title, subtitle, headActions, footer, onClose, onSubmit, form, children } = props;
  const { t } = useTranslation('ui');
  const heading = useId();
  const head = useRef<HTMLHeadingElement>(null);

  // Over the page, a drawer without a field starts at its title, not at the first button of its head.
  useLayoutEffect(() => {
    const isWanted = head.current?.closest('form')?.querySelector('[data-autofocus]');
    if (isOver && !isWanted) head.current?.setAttribute('data-autofocus', '');
  }, [isOver]);

  return (
    <form
      className="pane"
      aria-labelledby={heading}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const element = event.currentTarget;
        onSubmit?.();
        // After the problems are shown.
        requestAnimationFrame(() => focusFirstError(element));
      }}
    >
      <div className={`row10 fixed ${classes.head}`}>
        <h2 id={heading} ref={head} className={`title cut ${classes.title}`} tabIndex={-1}>
          {title}
        </h2>
        {subtitle}
        <div className={classes.headActions}>
          {headActions}
          <Tooltip label={t('action.close')}>
            <ActionIcon onClick={onClose} aria-label={t('action.close')}>
              <IconX size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      <div className={`scroll ${classes.body}`}>
        <RestoredNotice onDrop={form?.dropDraft} />
        {/* Fields with a text of their own begin anew when the draft is dropped. */}
        <Fragment key={form?.dropDraft ? 'draft' : 'loaded'}>{children}</Fragment>
      </div>
      {footer ? <footer className={`wrap8 fixed ${classes.foot}`}>{footer}</footer> : null}
    </form>
  );
}

export function Drawer(props: DrawerProps) {
  const { t } = useTranslation('ui');
  const { onClose } = props;
  const pushes = usePushesDrawer();
  const phone = usePhone();
  const still = useReducedMotion();
  const panel = useRef<HTMLDivElement>(null);
  const { width, handleProps } = useDrawerWidth(t('drawer.resize'));
  useLeaveGuard(props.form?.unsaved);

  // Before the focus trap looks for the element to start at.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const wanted = panel.current?.querySelector<HTMLElement>('[data-autofocus]');
    wanted?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  useEffect(() => {
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || wasLayerAbove()) return;
      event.preventDefault();
      onClose();
    };
    document.addEventListener('keydown', closeOnEscape);
    return () => document.removeEventListener('keydown', closeOnEscape);
  }, [onClose]);

  // An <aside> is a landmark, which a modal dialog must not be.
  const Sheet = pushes ? 'aside' : 'div';
  const sheet = (
    <Sheet
      ref={panel}
      className={classes.drawer}
      data-mode={pushes ? 'push' : 'overlay'}
      data-still={still || undefined}
      style={phone ? undefined : { width }}
      aria-label={props.title}
      {...(pushes ? {} : { role: 'dialog', 'aria-modal': true, 'data-drawer': true })}
    >
      {phone ? null : <div className={classes.handle} {...handleProps} />}
      <Body {...props} isOver={!pushes} />
    </Sheet>
  );
  if (pushes) return sheet;
  return (
    <Portal>
      <div className={classes.backdrop} onClick={onClose} aria-hidden />
      <FocusTrap active>{sheet}</FocusTrap>
    </Portal>
  );
}

interface DrawerFootProps {
  /** The buttons, save first. */
  children: ReactNode;
  changed?: number;
  problems?: number;
  refusal?: Refusal<never>;
  right?: ReactNode;
}

/** The refusal, then Save, Cancel, `2 changed`, `1 to fix`; the last one moves the focus to the field. */
export function DrawerFoot({ children, changed = 0, problems = 0, refusal, right }: DrawerFootProps) {
  const { t } = useTranslation('ui');
  return (
    <>
      {refusal ? <RefusalNotice refusal={refusal} /> : null}
      {children}
      {changed > 0 ? (
        <span className={classes.changed}>{t('drawer.changed', { count: changed })}</span>
      ) : null}
      {problems > 0 ? (
        <button
          type="button"
          className={classes.problems}
          onClick={(event) => focusFirstError(event.currentTarget.form ?? document)}
        >
          {t('drawer.toFix', { count: problems })}
        </button>
      ) : null}
      {right ? <span className="push-right">{right}</span> : null}
    </>
  );
}
