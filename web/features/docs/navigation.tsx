/** The list of contents with its search, and the links to the pages before and after. */
import { SegmentedControl, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconArrowLeft, IconArrowRight, IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { Language } from '#contract/language.ts';
import { useUser } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { audienceOf, findInDocuments, indexIn, pages, pagesFor, sections } from './contents.ts';
import type { Audience, DocumentPage } from '#contract/admin/documents.ts';
import classes from './navigation.module.css';

interface CurrentPage {
  current: DocumentPage | undefined;
}

function List({ current, audience }: CurrentPage & { audience: Audience }) {
  const language = currentLanguage();
  const own = sections.filter((section) => section.audience === audience);
  return own.map((section) => (
    <section key={section.name.en}>
      <h2>{section.name[language]}</h2>
      <ul>
        {section.pages.map((page) => (
          <li key={page.slug}>
            <Link
              to="/docs/$page"
              params={{ page: page.slug }}
              aria-current={page === current ? 'page' : undefined}
              lang={page[language] ? undefined : 'en'}
            >
              {indexIn(page, language).title}
            </Link>
            {page === current ? <Headings page={page} /> : null}
          </li>
        ))}
      </ul>
    </section>
  ));
}

const headingsOf = (page: DocumentPage, language: Language) =>
  indexIn(page, language).headings.filter(({ level }) => level === 2);

function Headings({ page }: { page: DocumentPage }) {
  const headings = headingsOf(page, currentLanguage());
  if (headings.length === 0) return null;
  return (
    <ul className={classes.headings}>
      {headings.map(({ id, text }) => (
        <li key={id}>
          <Link
            to="/docs/$page"
            params={{ page: page.slug }}
            hash={id}
            // Without it every heading of the page counts as the current one.
            activeOptions={{ includeHash: true }}
          >
            {text}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Beside the text, where a wide screen has room for both; the contents leave the headings out there. */
export function OnThisPage({ page }: { page: DocumentPage }) {
  const { t } = useTranslation('docs');
  if (headingsOf(page, currentLanguage()).length === 0) return null;
  return (
    <nav className={classes.onPage} aria-label={t('onThisPage')}>
      <b>{t('onThisPage')}</b>
      <Headings page={page} />
    </nav>
  );
}

function Results({ query, among }: { query: string; among: readonly DocumentPage[] }) {
  const { t } = useTranslation('docs');
  const found = findInDocuments(query, currentLanguage(), among);
  if (found.length === 0) return <p className={classes.nothing}>{t('nothing')}</p>;
  return (
    <ul className={classes.results}>
      {found.map(({ page, hash, text, title }) => (
        <li key={`${page}#${hash ?? ''}`}>
          <Link to="/docs/$page" params={{ page }} hash={hash} activeOptions={{ includeHash: true }}>
            {text}
            {title ? <small>{title}</small> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Operators see both lists, the one of the page first; everybody else what concerns callers. */
export function DocsNavigation({ current }: CurrentPage) {
  const { t } = useTranslation('docs');
  const phone = usePhone();
  const user = useUser();
  const isOperator = user !== undefined && isAdmin(user.role);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<Audience>();
  const shown = isOperator ? (chosen ?? (current ? audienceOf(current) : 'operators')) : 'customers';
  const content = (
    <>
      <TextInput
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        placeholder={t('search')}
        aria-label={t('search')}
        type="search"
        leftSection={<IconSearch size={14} stroke={1.6} />}
      />
      {isOperator && query.trim() === '' ? (
        <SegmentedControl
          className="top8"
          fullWidth
          aria-label={t('audience.label')}
          value={shown}
          onChange={setChosen}
          data={[
            { value: 'operators', label: t('audience.operators') },
            { value: 'customers', label: t('audience.customers') },
          ]}
        />
      ) : null}
      {query.trim() === '' ? (
        <List current={current} audience={shown} />
      ) : (
        <Results query={query} among={isOperator ? pages : pagesFor('customers')} />
      )}
    </>
  );
  if (!phone) {
    return (
      <nav className={classes.navigation} aria-label={t('contents')}>
        {content}
      </nav>
    );
  }
  return (
    // A new page closes the list.
    <details className={classes.phoneNavigation} key={current?.slug}>
      <summary>
        {t('contents')}
        <IconChevronDown size={16} stroke={1.6} aria-hidden />
      </summary>
      <nav aria-label={t('contents')}>{content}</nav>
    </details>
  );
}

export function Neighbours({ current }: { current: DocumentPage }) {
  const { t } = useTranslation('docs');
  const language = currentLanguage();
  const own = pagesFor(audienceOf(current));
  const at = own.indexOf(current);
  const [before, after] = [own[at - 1], own[at + 1]];
  return (
    <nav className={classes.neighbours} aria-label={t('neighbours')}>
      {before ? (
        <Link to="/docs/$page" params={{ page: before.slug }} rel="prev">
          <IconArrowLeft size={15} stroke={1.6} aria-hidden />
          {indexIn(before, language).title}
        </Link>
      ) : (
        <span />
      )}
      {after ? (
        <Link to="/docs/$page" params={{ page: after.slug }} rel="next">
          {indexIn(after, language).title}
          <IconArrowRight size={15} stroke={1.6} aria-hidden />
        </Link>
      ) : null}
    </nav>
  );
}
