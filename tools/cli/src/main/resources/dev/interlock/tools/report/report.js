// SPDX-License-Identifier: Apache-2.0
(function () {
  'use strict';
  const report = JSON.parse(document.getElementById('report-data').textContent);
  const main = document.getElementById('main');
  const dialog = document.getElementById('cell');
  const MEANING = report.words;
  const contents = [];

  /** Announces a section whose parts are made next. */
  function announce(id, title) {
    contents.push([id, title]);
    return id;
  }

  function el(tag, attributes, ...children) {
    const element = tag === 'svg' || el.svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith('on')) {
        element.addEventListener(name.slice(2), value);
      } else {
        element.setAttribute(name, value);
      }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => child.nodeType ? child : String(child)));
    return element;
  }

  function svg(tag, attributes, ...children) {
    el.svg = true;
    try {
      return el(tag, attributes, ...children);
    } finally {
      el.svg = false;
    }
  }

  function section(id, title, ...children) {
    main.append(el('section', { id: id, 'aria-labelledby': id + '-title' }, el('h2', { id: id + '-title' }, title), ...children));
  }

  const peerNames = new Set([...report.strategies, ...(report.faults ? report.faults.strategies : [])].filter((it) => it.peer)
    .flatMap((it) => [it.name, it.label]));

  /** How many columns of figures a sheet of paper has room for. */
  const COLUMNS_ON_PAPER = 7;

  /** Splits columns that are too many for a sheet of paper: ours, then those of other libraries. */
  function sheets(columns, isPeer) {
    if (columns.length <= COLUMNS_ON_PAPER) {
      return [columns];
    }
    const parts = [];
    for (const group of [columns.filter((it) => !isPeer(it)), columns.filter(isPeer)]) {
      const size = Math.ceil(group.length / Math.ceil(group.length / COLUMNS_ON_PAPER));
      for (let i = 0; i < group.length; i += size) {
        parts.push(group.slice(i, i + size));
      }
    }
    return parts;
  }

  /** A region that can be scrolled sideways is a stop of the Tab key, unless something in it is. */
  const widths = new ResizeObserver((entries) => entries.map((entry) => entry.target).forEach((region) => {
    if (region.scrollWidth > region.clientWidth + 1 && !region.querySelector('[role=grid]')) {
      region.setAttribute('tabindex', '0');
    } else {
      region.removeAttribute('tabindex');
    }
  }));

  /**
   * A table that a narrow screen shows row by row, each cell with its heading: hence the roles, which styles would take
   * away.
   */
  function grid(cls, caption, header, rows, hidden) {
    const region = el('div', { class: 'scroll', role: 'region', 'aria-label': caption },
      el('table', { class: cls, role: 'table' }, el('caption', { class: hidden ? 'hidden' : '' }, caption),
        el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...header)), el('tbody', { role: 'rowgroup' }, ...rows)));
    widths.observe(region);
    return region;
  }

  function head(text, attributes) {
    return el('th', { scope: 'col', role: 'columnheader', ...attributes }, text);
  }

  function row(first, cells) {
    return el('tr', { role: 'row' }, el('th', { scope: 'row', role: 'rowheader' }, ...first), ...cells);
  }

  /** A table. Where it has more columns than a sheet of paper, it is printed in parts. */
  function table(caption, header, rows, figures) {
    const part = (title, columns, hidden) => {
      const cls = (i) => (figures && figures[i] ? { class: 'figure' } : {});
      return grid('', title, [0, ...columns].map((i) => head(header[i], cls(i))), rows.map((cells) => row(text(cells[0]),
        columns.map((i) => el('td', { role: 'cell', 'data-label': header[i], ...cls(i) }, ...text(cells[i]))))), hidden);
    };
    const all = header.map((it, i) => i).slice(1);
    const parts = sheets(all, (i) => peerNames.has(header[i]));
    const shown = part(caption, all, contents.some((it) => it[1] === caption));
    if (parts.length === 1) {
      return shown;
    }
    shown.classList.add('screen');
    return el('div', {}, shown, ...parts.map((columns, i) => {
      const printed = part(caption + ' (' + (i + 1) + ' of ' + parts.length + ')', columns, false);
      printed.classList.add('paper');
      return printed;
    }));
  }

  /** The content of a cell: text, or copies of text and elements. */
  function text(content) {
    return [content === undefined ? '' : content].flat().map((it) => (it.nodeType ? it.cloneNode(true) : it));
  }

  /** Makes a table one stop of the Tab key, in which arrows, Home, End, Page Up and Page Down move between cells. */
  function oneStop(region) {
    region.querySelector('table').setAttribute('role', 'grid');
    region.querySelectorAll('td').forEach((cell) => cell.setAttribute('role', 'gridcell'));
    const lines = [...region.querySelectorAll('tbody tr')].map((line) => [...line.querySelectorAll('td button')]);
    lines.flat().forEach((button, i) => { button.tabIndex = i ? -1 : 0; });
    region.addEventListener('focusin', (event) => {
      if (event.target.closest('td')) {
        lines.flat().forEach((button) => { button.tabIndex = button === event.target ? 0 : -1; });
      }
    });
    region.addEventListener('keydown', (event) => {
      const y = lines.findIndex((line) => line.includes(event.target));
      if (y < 0 || event.altKey || event.metaKey) {
        return;
      }
      const x = lines[y].indexOf(event.target);
      const last = lines[y].length - 1;
      const to = {
        ArrowUp: [y - 1, x], ArrowDown: [y + 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1],
        Home: [event.ctrlKey ? 0 : y, 0], End: [event.ctrlKey ? lines.length - 1 : y, last],
        PageUp: [Math.max(0, y - 10), x], PageDown: [Math.min(lines.length - 1, y + 10), x],
      }[event.key];
      if (to) {
        event.preventDefault();
        if (lines[to[0]] && lines[to[0]][to[1]]) {
          lines[to[0]][to[1]].focus();
        }
      }
    });
    return region;
  }

  /** Markdown with code and links. Links are text with a path of the repository, because a report may be anywhere. */
  function prose(markdown) {
    return markdown.split(/(`[^`]*`|\[[^\]]*\]\([^)]*\))/).filter((part) => part).flatMap((part) => {
      const link = /^\[(.*)\]\((.*)\)$/.exec(part);
      if (part.startsWith('`')) {
        return [el('code', {}, part.slice(1, -1))];
      }
      if (!link) {
        return [part];
      }
      return link[2] === 'docs/decide.md#' + INSTEAD ? [el('a', { href: '#' + INSTEAD }, ...prose(link[1]))]
        : [...prose(link[1]), ' (', el('code', { class: 'path' }, link[2]), ')'];
    });
  }

  /** Markdown without its links, but that to another part of this page. */
  function unlinked(markdown) {
    return markdown.replaceAll(/\[([^\]]*)\]\((?!docs\/decide\.md#)[^)]*\)/g, '$1');
  }

  const INSTEAD = 'when-not-to-use-a-lock-at-all';

  const seconds = (millis) => (Math.abs(millis) >= 1000 ? (millis / 1000).toFixed(1) + ' s' : Math.round(millis) + ' ms');
  const whole = (number) => Math.round(number).toLocaleString('en');

  const nav = el('nav', { 'aria-label': 'Contents' });
  document.getElementById('head').append(el('h1', {}, report.title), el('p', { class: 'soft' }, report.setting),
    el('p', { class: 'soft' }, 'Made by ', el('code', {}, report.command), '. ' + report.caveat), nav);
  if (report.problems.length) {
    main.append(el('ul', { class: 'problems' }, ...report.problems.map((problem) => el('li', {}, problem))));
  }
  (report.omitted || []).forEach((text) => main.append(el('p', {}, text)));

  const faults = report.faults;
  const guide = report.guide;
  if (guide) {
    const trail = el('div', { class: 'guide screen' });
    const heading = el('h3', {});
    const line = el('p', { class: 'answer', role: 'status' });
    const basis = el('div', {});
    const outcome = el('div', { class: 'outcome screen', hidden: '' }, heading, line, basis);
    section(announce('decide', 'Do you need a lock, and which one?'), 'Do you need a lock, and which one?',
      el('h3', { id: INSTEAD }, 'When not to use a lock at all'), ...guide.before.map(paragraph),
      table('What to use instead of a lock', ['You want', 'Use instead'], guide.instead.map((cells) => cells.map(prose))),
      ...guide.after.map(paragraph),
      el('h3', {}, 'Which one: ' + guide.questions.length + ' questions'), ...guide.introduction.map(paragraph), trail, outcome,
      ...guide.questions.map(onPaper));
    const taken = [];
    const ask = (index) => {
      const question = guide.questions[index];
      const isOffered = (answer) => !answer.onlyAfter || taken.some((it) => it.index === answer.onlyAfter.question - 1
        && it.answer.answer.startsWith(answer.onlyAfter.answer));
      trail.append(el('fieldset', {}, el('legend', {}, (index + 1) + '. ' + question.title),
        ...question.answers.filter(isOffered).map((answer) => el('label', {},
          el('input', { type: 'radio', name: 'question-' + index, onchange: () => choose(index, answer) }), ' ', el('span', {}, ...prose(answer.answer)))),
        ...question.notes.map(paragraph)));
    };
    const choose = (index, answer) => {
      while (taken.length && taken[taken.length - 1].index >= index) {
        taken.pop();
      }
      taken.push({ index: index, answer: answer });
      const asked = [...trail.children];
      asked.slice(taken.length).forEach((later) => later.remove());
      const settled = (part) => taken.map((it) => it.answer[part]).filter((it) => it);
      const parts = [...settled('strategy'), ...settled('servers').map((it) => 'servers: ' + it), ...settled('options')];
      if (!answer.next && !settled('options').length && settled('servers').length) {
        parts.push('default options');
      }
      const pages = new Set(parts.flatMap((it) => [...it.matchAll(/\]\(([^)#]*)[^)]*\)/g)].map((link) => link[1])));
      pages.delete('docs/decide.md');
      outcome.hidden = false;
      heading.textContent = answer.next ? 'So far' : 'Your answer';
      line.replaceChildren(...(parts.length ? parts.flatMap((it, i) => [i ? ' · ' : '', el('span', {}, ...prose(unlinked(it)))]) : ['nothing is settled yet']));
      basis.replaceChildren(pages.size ? el('p', { class: 'soft' }, 'See ', ...[...pages].flatMap((it, i) => [i ? ', ' : '', el('code', { class: 'path' }, it)]), '.') : '',
        el('h4', {}, 'Because'),
        el('ol', {}, ...taken.map((it) => el('li', { value: it.index + 1 }, ...prose(it.answer.answer), '. ', el('small', {}, 'Evidence: ', ...evidenceFor(it.answer), '.')))));
      if (answer.next) {
        ask(answer.next - 1);
      }
    };
    ask(0);
  }

  function paragraph(markdown) {
    return el('p', {}, ...prose(markdown));
  }

  /** All answers to a question: paper cannot be clicked. */
  function onPaper(question, index) {
    const title = (index + 1) + '. ' + question.title;
    const asked = (it) => (it.onlyAfter ? it.answer + ' (' + it.onlyAfter.answer + ' to question ' + it.onlyAfter.question + ')' : it.answer);
    return el('div', { class: 'paper' },
      table(title, ['Answer', 'Strategy', 'Servers', 'Options', 'Then', 'Evidence'], question.answers.map((it) => [
        prose(asked(it)), prose(it.strategy), prose(it.servers), prose(it.options), it.next ? 'question ' + it.next : 'done', prose(it.evidence)])),
      ...question.notes.map(paragraph));
  }

  /** The evidence for an answer, in which a verdict opens its cell where this report has it. */
  function evidenceFor(answer) {
    return answer.evidence.split(/(`[^`]+` under `[^`]+` is `[^`]+`)/).flatMap((part) => {
      const cited = /^`([^`]+)` under `([^`]+)` is `([^`]+)`$/.exec(part);
      const found = cited && cellOf(cited[1], cited[2]);
      if (!found) {
        return prose(part);
      }
      return [el('button', { type: 'button', class: 'link', 'aria-haspopup': 'dialog', onclick: () => show(found.strategy, found.fault, found.cell) }, ...prose(part)),
        found.cell.verdict && found.cell.verdict.toLowerCase() === cited[3] ? '' : ' (in this report: ' + word(found.cell) + ')'];
    });
  }

  /**
   * The cell of a strategy as the table of faults names it: "redlock (wait)" has an option of that value, and "redlock"
   * trusts.
   */
  function cellOf(named, id) {
    const [, name, value] = /^(\S+)(?: \((.+)\))?$/.exec(named) || [];
    const index = faults ? faults.faults.findIndex((it) => it.id === id) : -1;
    const candidates = faults ? faults.strategies.filter((it) => it.name === name && !it.specimen) : [];
    const strategy = value ? candidates.find((it) => Object.values(it.options || {}).includes(value))
      : candidates.find((it) => ((it.options || {})['cold-start'] || 'trust') === 'trust');
    return strategy && index >= 0 ? { strategy: strategy, fault: faults.faults[index], cell: strategy.cells[index] } : null;
  }

  if (report.recommendations.length) {
    section(announce('recommendation', 'Which one to take'), 'Which one to take', table('Which one to take', ['Need', 'Take', 'Because'],
      report.recommendations.map((it) => [it.need, it.strategy || 'none of them', it.reason])));
  }

  if (faults) {
    const words = ['safe', 'blocked', 'detected', 'fenced', 'violated', 'undecided'];
    section(announce('faults', 'What happens when things go wrong'), 'What happens when things go wrong',
      el('p', {}, 'Two clients in JVMs of their own read, change and write back a value under the lock, on servers that are made to fail. '
        + 'Lease ' + seconds(faults.leaseMillis) + ', seed ' + faults.seed + '. Choose a cell for its evidence; arrow keys move between cells.'),
      el('ul', { class: 'legend' }, ...words.map((word) => el('li', {}, el('b', { class: word }, word), ' ' + MEANING[word]))),
      heat('Strategies and locks of other libraries', faults.strategies.filter((it) => !it.specimen)),
      ...(faults.strategies.some((it) => it.peer) ? [el('p', { class: 'soft' }, 'Other libraries declare nothing to us: their cells show what happened, and are not judged.')] : []),
      faults.strategies.some((it) => it.specimen)
        ? el('div', {}, el('h3', {}, '⚠ Specimens: locks that are known to be broken, as a warning'), heat('Specimens', faults.strategies.filter((it) => it.specimen)))
        : null);
  }

  /** The cells by fault and strategy: to choose from on a screen, and to read on paper. */
  function heat(caption, strategies) {
    const rows = faults.faults.map((fault, i) => ({ fault: fault, cells: strategies.map((it) => it.cells[i]) }))
      .filter((row) => row.cells.some((cell) => cell.outcome !== 'DOES_NOT_APPLY'));
    return heatMap(caption + ' by fault', 'Fault', strategies.map((it) => it.label), (i) => strategies[i].peer,
      rows.map((line) => ({ head: [line.fault.id, el('small', {}, line.fault.description)], cell: (i) => heatCell(strategies[i], line.fault, line.cells[i]) })));
  }

  /** A table of buttons, one stop of the Tab key, and the same as text for paper. */
  function heatMap(caption, corner, labels, isPeer, rows) {
    const part = (title, columns, content) => grid('heat', title, [head(corner), ...columns.map((i) => head(labels[i], isPeer(i) ? { class: 'peer' } : {}))],
      rows.map((line) => row(text(line.head),
        columns.map((i) => el('td', { role: 'cell', 'data-label': labels[i] }, content(line.cell(i)))))));
    const all = labels.map((it, i) => i);
    const screen = oneStop(part(caption, all, (cell) => cell));
    screen.classList.add('screen');
    return el('div', {}, screen, ...sheets(all, isPeer).map((columns) => {
      const printed = part(caption, columns, (cell) => el('span', { class: cell.className + ' plain' }, cell.textContent));
      printed.classList.add('paper');
      return printed;
    }));
  }

  function word(cell) {
    if (!cell.verdict) {
      return { DOES_NOT_APPLY: '–', NOT_RUN: 'not run', FAILED: 'failed' }[cell.outcome];
    }
    if (cell.verdict !== 'BLOCKED') {
      return cell.verdict.toLowerCase();
    }
    return 'blocked ' + (cell.evidence.unserved ? '> ' : '') + seconds(cell.evidence.nobodyMillis);
  }

  function heatCell(strategy, fault, cell) {
    const undeclared = cell.declaration && cell.declaration.kind === 'UNDECLARED' && !strategy.peer;
    const known = cell.declaration && cell.declaration.kind === 'KNOWN_DEFECT';
    const name = strategy.label + ', ' + fault.id + ': ' + (cell.outcome === 'DOES_NOT_APPLY' ? 'does not apply' : word(cell)) + (undeclared ? ', not declared' : known ? ', a known defect' : '');
    const cls = (cell.verdict ? cell.verdict.toLowerCase() : cell.outcome === 'FAILED' ? 'failed' : 'none') + (undeclared && !strategy.specimen ? ' undeclared' : '');
    return el('button', { type: 'button', class: cls, 'aria-haspopup': 'dialog', 'aria-label': name, onclick: () => show(strategy, fault, cell) },
      word(cell) + (undeclared && !strategy.specimen ? ' !' : known ? ' (known)' : ''));
  }

  function declared(cell, strategy) {
    if (strategy.peer) {
      return '';
    }
    switch (cell.declaration.kind) {
      case 'ASSUMED': return 'Declared: the profile assumes that ' + report.assumptionSummaries[cell.declaration.assumption] + '.';
      case 'OUTAGE': return 'Excused: the fault takes away what every lock needs, and everybody was served when it was over.';
      case 'KNOWN_DEFECT': return 'A known defect, which is to be mended.';
      case 'ANY_LEASE': return 'Declared: no lease keeps out a holder that stands still between its look and its write.';
      case 'UNDECLARED': return strategy.specimen ? 'A lock like this is not to be used.' : 'Neither declared by the profile nor excused by the fault: this is a defect.';
      default: return '';
    }
  }

  function show(strategy, fault, cell) {
    const evidence = cell.evidence;
    const close = el('button', { type: 'button', class: 'close', onclick: () => dialog.close() }, 'Close');
    dialog.replaceChildren(
      el('header', {}, el('h2', { id: 'cell-title' }, strategy.label + ' · ' + fault.id), close),
      el('p', {}, fault.description.charAt(0).toUpperCase() + fault.description.slice(1) + '.'),
      el('p', {}, el('span', { class: 'badge ' + (cell.verdict ? cell.verdict.toLowerCase() : 'none') }, word(cell)), ' ',
        cell.verdict ? MEANING[cell.verdict.toLowerCase()] + '. ' + declared(cell, strategy) : { DOES_NOT_APPLY: 'Does not apply: ', NOT_RUN: 'It ', FAILED: '' }[cell.outcome] + cell.reason + '.'));
    if (evidence) {
      dialog.append(el('h3', {}, 'Timeline'), timeline(evidence), el('h3', {}, 'Evidence'), figures(evidence),
        el('details', window.matchMedia('(max-width: 45rem)').matches ? { open: '' } : {}, el('summary', {}, 'Every event (' + evidence.timeline.length + ')'),
          table('Events, in milliseconds from the fault', ['ms', 'Who', 'What', 'Token', 'More'],
            evidence.timeline.map((it) => [it.millis, it.who, it.what.toLowerCase().replaceAll('_', ' '), it.token || '',
              it.writes ? it.writes.unfenced.toLowerCase() + '; with tokens: ' + it.writes.fenced.toLowerCase() : it.detail || '']))));
    }
    dialog.showModal();
    close.focus();
  }

  function figures(evidence) {
    const at = (millis) => (millis === undefined ? '–' : seconds(millis) + ' after the fault');
    return table('What was seen', ['Question', 'Answer'], [
      ['Two holders at once, at the longest', seconds(evidence.twoHoldersMillis)],
      ['Stale writes that the plain store accepted', evidence.staleWrites],
      ['Stale writes that the store with tokens accepted', evidence.staleFencedWrites],
      ['Writes that the store with tokens refused', evidence.refusedWrites],
      ['The lock was in other hands', at(evidence.goneMillis)],
      ['The holder was told of the loss', at(evidence.toldMillis)],
      ['The next holder had the lock', at(evidence.nextHolderMillis)],
      ['Nobody had it though somebody asked, at the longest', seconds(evidence.nobodyMillis) + (evidence.unserved ? ', to the end' : '')],
      ['Keys left behind', evidence.leftBehind.length ? evidence.leftBehind.join(', ') : 'none'],
      ['The checker on the history', evidence.history.toLowerCase() + (evidence.finding ? ': ' + evidence.finding : '')],
    ]);
  }

  /** Distances grow with the logarithm of the time between, so that milliseconds and seconds can be seen together. */
  function timeline(evidence) {
    const events = evidence.timeline;
    const left = 60;
    const top = 34;
    const lane = { holder: top + 16, rival: top + 66 };
    const places = [];
    let x = left + 12;
    events.forEach((event, i) => {
      x += i === 0 ? 0 : 14 + 16 * Math.log10(1 + Math.max(0, event.millis - events[i - 1].millis));
      places.push(x);
    });
    const width = x + 30;
    const height = top + 130;
    const parts = [];
    for (const who of ['holder', 'rival']) {
      parts.push(svg('text', { x: 4, y: lane[who] + 4 }, who), svg('line', { class: 'lane', x1: left, x2: width, y1: lane[who], y2: lane[who] }));
      let granted = null;
      let asked = null;
      events.forEach((event, i) => {
        if (event.who !== who) {
          return;
        }
        const ends = ['TOLD', 'LOOKED_LOST', 'NOT_RELEASED', 'RELEASING', 'KILLED'].includes(event.what);
        if ((event.what === 'GRANTED' || event.what === 'KILLED') && asked !== null) {
          parts.push(svg('line', { class: 'wait', x1: asked, x2: places[i], y1: lane[who], y2: lane[who] }));
          asked = null;
        }
        if (ends && granted !== null) {
          parts.push(svg('rect', { class: 'hold', x: granted, y: lane[who] - 8, width: Math.max(2, places[i] - granted), height: 16, rx: 3 }));
          granted = null;
        }
        granted = event.what === 'GRANTED' ? places[i] : granted;
        asked = event.what === 'ASKED' ? places[i] : asked;
      });
      if (granted !== null) {
        parts.push(svg('rect', { class: 'hold', x: granted, y: lane[who] - 8, width: width - granted, height: 16, rx: 3 }));
      }
      if (asked !== null) {
        parts.push(svg('line', { class: 'wait', x1: asked, x2: width, y1: lane[who], y2: lane[who] }));
      }
    }
    let labelled = -100;
    events.forEach((event, i) => {
      const title = svg('title', {}, event.millis + ' ms, ' + event.who + ' ' + event.what.toLowerCase().replaceAll('_', ' '));
      if (event.who === 'lab') {
        parts.push(svg('line', { class: event.what === 'STRUCK' ? 'struck' : 'healed', x1: places[i], x2: places[i], y1: 18, y2: lane.rival + 22 }, title),
          svg('text', { x: places[i] + 3, y: 14 }, event.what === 'STRUCK' ? 'fault' : 'mended'));
      } else if (event.what === 'TOLD' || event.what === 'LOOKED_LOST') {
        parts.push(svg('path', { class: 'mark', d: 'M' + places[i] + ' ' + (lane[event.who] - 10) + 'l5 -8h-10z' }, title),
          svg('text', { x: places[i] + 6, y: lane[event.who] - 11 }, 'told'));
      } else if (event.what === 'WROTE') {
        const good = event.writes.unfenced === 'ACCEPTED';
        parts.push(svg('circle', { class: 'mark ' + (good ? 'good' : 'bad'), cx: places[i], cy: lane[event.who], r: 6 }, title),
          svg('text', { x: places[i] - 4, y: lane[event.who] + 21 }, good ? 'write' : 'stale'));
      } else if (event.what === 'KILLED') {
        parts.push(svg('text', { class: 'bad', x: places[i] - 3, y: lane[event.who] - 10 }, '✕ killed'));
      }
      if (places[i] - labelled > 44) {
        labelled = places[i];
        parts.push(svg('text', { class: 'quiet', x: places[i] - 8, y: height - 8 }, seconds(event.millis)));
      }
    });
    return el('div', { class: 'scroll' }, svg('svg', { viewBox: '0 0 ' + width + ' ' + height, style: 'max-width: ' + Math.round(width * 1.5) + 'px', role: 'img',
      'aria-label': 'Timeline: bars are holds, dashes are waiting; every event is in the table below.' }, ...parts),
      el('p', { class: 'soft' }, 'Bars: who was granted the lock and not told otherwise. Dashes: waiting. Distances are logarithmic.'));
  }

  const examined = report.strategies.filter((it) => it.conformance);
  if (examined.length) {
    const chapters = report.chapters.filter((chapter) => examined.some((it) => it.conformance.rules.some((rule) => rule.chapter === chapter.number)));
    section(announce('contract', 'The contract, chapter by chapter'), 'The contract, chapter by chapter',
      el('p', {}, 'Rules kept / broken / skipped. Locks of other libraries are asked those rules that any java.util.concurrent.locks.Lock can be asked; '
        + 'they never promised them. Choose a cell for its rules; arrow keys move between cells.'),
      heatMap('Rules by chapter', 'Chapter', examined.map((it) => it.name), (i) => examined[i].peer,
        chapters.map((chapter) => ({ head: [chapter.number + '. ' + chapter.title], cell: (i) => chapterCell(examined[i], chapter) }))));
  }

  function chapterCell(strategy, chapter) {
    const rules = strategy.conformance.rules.filter((rule) => rule.chapter === chapter.number);
    const of = (outcome) => rules.filter((rule) => rule.outcome === outcome);
    const counts = rules.length ? of('PASSED').length + ' / ' + of('FAILED').length + ' / ' + of('SKIPPED').length : '–';
    const cls = !of('FAILED').length ? (of('PASSED').length ? 'safe' : 'none') : strategy.peer ? 'detected' : 'violated';
    return el('button', {
      type: 'button', class: cls, 'aria-haspopup': 'dialog',
      'aria-label': strategy.name + ', chapter ' + chapter.number + ': '
        + (rules.length ? of('PASSED').length + ' kept, ' + of('FAILED').length + ' broken, ' + of('SKIPPED').length + ' skipped' : 'not asked'),
      onclick: () => showRules(strategy, chapter, of),
    }, counts);
  }

  function showRules(strategy, chapter, of) {
    const list = (title, rules) => (rules.length ? [el('h3', {}, title), el('ul', {}, ...rules.map((rule) => el('li', {},
      el('b', {}, rule.chapter + '.' + rule.number), ' ', ...sentence(rule), rule.message ? el('small', {}, ' ' + rule.message) : null)))] : []);
    const close = el('button', { type: 'button', class: 'close', onclick: () => dialog.close() }, 'Close');
    dialog.replaceChildren(el('header', {}, el('h2', { id: 'cell-title' }, strategy.name + ' · chapter ' + chapter.number), close),
      el('p', {}, chapter.title + '.' + (of('PASSED').length + of('FAILED').length + of('SKIPPED').length ? '' : ' Its rules are not asked of this lock.')),
      ...list('Broken', of('FAILED')), ...list('Skipped', of('SKIPPED')), ...list('Kept', of('PASSED')));
    dialog.showModal();
    close.focus();
  }

  /** What a rule demands in the words of the contract, or the name of its test where this version has no such rule. */
  function sentence(rule) {
    const words = report.sentences[rule.chapter + '.' + rule.number];
    return words ? prose(words) : [rule.name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()];
  }

  for (const it of [report.peers, report.profiles].filter((part) => part.rows.length)) {
    section(announce(it.title.toLowerCase().replaceAll(/[^a-z]+/g, '-'), it.title), it.title, table(it.title, it.header, it.rows, it.figures),
      ...it.notes.map((note) => el('p', { class: 'soft' }, note)));
  }
  for (const it of report.tables) {
    section(announce(it.title.toLowerCase().replaceAll(/[^a-z]+/g, '-'), it.title), it.title, table(it.title, it.header, it.rows, it.figures),
      ...it.notes.map((note) => el('p', { class: 'soft' }, note)));
  }

  const COLOURS = {
    light: ['#0b5cad', '#b4540a', '#1a7f37', '#8250df', '#a3195b', '#00707a', '#6b5b00', '#3d3d3d', '#6f8f00', '#e0379b'],
    dark: ['#7cb8f5', '#f0a35e', '#6fd08c', '#c297ff', '#ff8fb8', '#5fd3dc', '#d8c75a', '#c8c8c8', '#b5e04c', '#ff6fd0'],
  };
  const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
  const POINTS = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'cross', 'crossRot', 'dash'];
  const pick = (colours, i) => colours[i % colours.length];
  /** A strategy looks the same in all charts. */
  const look = (colours, it) => style(colours, report.strategies.indexOf(it));
  const style = (colours, i) => ({ borderColor: pick(colours, i), backgroundColor: pick(colours, i), borderDash: DASHES[i % DASHES.length],
    pointStyle: POINTS[i % POINTS.length], pointRadius: 5, tension: 0.1 });
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const drawn = [];

  function draw(canvas, config) {
    const chart = { canvas: canvas, config: config, instance: null };
    drawn.push(chart);
    redraw(chart, dark.matches);
  }

  function redraw(chart, isDark) {
    if (chart.instance) {
      chart.instance.destroy();
    }
    const ink = isDark ? '#e6eaef' : '#1b1f24';
    const line = isDark ? '#343c46' : '#d0d7de';
    Chart.defaults.color = ink;
    Chart.defaults.borderColor = line;
    Chart.defaults.animation = false;
    chart.instance = new Chart(chart.canvas, chart.config(isDark ? COLOURS.dark : COLOURS.light));
  }

  function figure(caption, label, config) {
    const canvas = el('canvas', { role: 'img', 'aria-label': label });
    const part = el('figure', {}, el('figcaption', {}, caption), el('div', { class: 'canvas' }, canvas));
    part.draw = () => draw(canvas, config);
    return part;
  }

  const measured = report.strategies.filter((it) => it.uncontended);
  if (measured.length) {
    const latencies = (title, strategies, pair) => figure(title + ': latency by percentile (logarithmic)',
      title + ', latency by percentile: ' + strategies.map((it) => it.name + ' p50 ' + pair(it).p50Millis.toFixed(2) + ' ms, p99 ' + pair(it).p99Millis.toFixed(2) + ' ms').join('; '),
      (colours) => ({
        type: 'line',
        data: {
          labels: pair(strategies[0]).latencies.map((it) => 'p' + it.percentile),
          datasets: strategies.map((it) => ({ label: it.name, data: pair(it).latencies.map((point) => point.millis), ...look(colours, it) })),
        },
        options: { maintainAspectRatio: false, scales: { y: { type: 'logarithmic', title: { display: true, text: 'ms' } } }, plugins: { legend: { labels: { usePointStyle: true } } } },
      }));
    const bars = (title, label, rate) => figure(title, label + ': ' + measured.map((it) => it.name + ' ' + whole(rate(it)) + ' a second').join('; '), (colours) => ({
      type: 'bar',
      data: { labels: measured.map((it) => it.name), datasets: [{ label: 'a second', data: measured.map(rate), backgroundColor: measured.map((it) => look(colours, it).backgroundColor) }] },
      options: { indexAxis: 'y', maintainAspectRatio: false, plugins: { legend: { display: false } }, scales: { x: { title: { display: true, text: 'a second' } } } },
    }));
    const charts = [latencies('Uncontended lock and unlock', measured, (it) => it.uncontended), bars('Uncontended pairs of lock and unlock', 'Uncontended pairs', (it) => it.uncontended.pairsPerSecond)];
    for (let i = 0; i < measured[0].contended.length; i++) {
      const setting = measured[0].contended[i];
      const title = setting.clients === 1 ? setting.threadsPerClient + ' threads of one client' : setting.clients + ' clients';
      charts.push(bars('Acquisitions by ' + title, 'Acquisitions by ' + title, (it) => (it.contended[i] ? it.contended[i].acquisitionsPerSecond : 0)));
    }
    const lines = (title, label, drawn, points, xTitle, yTitle) => figure(title, label, (colours) => ({
      type: 'line',
      data: { datasets: drawn.map((it, i) => ({ label: it.name, data: points(it), ...look(colours, it) })) },
      options: { maintainAspectRatio: false, scales: { x: { type: 'linear', title: { display: true, text: xTitle } }, y: { type: 'logarithmic', title: { display: true, text: yTitle } } },
        plugins: { legend: { labels: { usePointStyle: true } } } },
    }));
    const several = measured.filter((it) => it.contended.some((run) => run.clients > 1));
    if (several.length) {
      const of = (it) => it.contended.find((run) => run.clients > 1);
      charts.push(figure('Fairness and throughput of ' + of(several[0]).clients + ' clients: up and to the right is better',
        'Fairness by throughput: ' + several.map((it) => it.name + ' ' + of(it).fairness.toFixed(2) + ' at ' + whole(of(it).acquisitionsPerSecond) + ' a second').join('; '),
        (colours) => ({
          type: 'scatter',
          data: { datasets: several.map((it) => ({ label: it.name, data: [{ x: of(it).acquisitionsPerSecond, y: of(it).fairness }], ...look(colours, it), pointRadius: 7 })) },
          options: { maintainAspectRatio: false, scales: { x: { type: 'logarithmic', title: { display: true, text: 'acquisitions a second' } },
            y: { min: 0, max: 1.05, title: { display: true, text: "Jain's index" } } }, plugins: { legend: { labels: { usePointStyle: true } } } },
        })));
    }
    const distant = report.strategies.filter((it) => it.roundTrips.length);
    if (distant.length) {
      for (const [name, of] of [['p50', (pair) => pair.p50Millis], ['p99', (pair) => pair.p99Millis]]) {
        charts.push(lines('An uncontended pair over a network: ' + name + ' by round trip (logarithmic)',
          name + ' by round trip: ' + distant.map((it) => it.name + ' ' + it.roundTrips.map((at) => of(at.uncontended).toFixed(1) + ' ms at ' + at.millis + ' ms').join(', ')).join('; '),
          distant, (it) => [...(it.uncontended ? [{ x: 0, y: of(it.uncontended) }] : []), ...it.roundTrips.map((at) => ({ x: at.millis, y: of(at.uncontended) }))],
          'round trip, ms', 'ms'));
      }
      for (const millis of [...new Set(distant.flatMap((it) => it.roundTrips.map((at) => at.millis)))].sort((one, other) => one - other)) {
        const at = (it) => it.roundTrips.find((trip) => trip.millis === millis);
        charts.push(latencies('Uncontended lock and unlock over a round trip of ' + millis + ' ms', distant.filter(at), (it) => at(it).uncontended));
      }
    }
    const grown = report.strategies.filter((it) => it.growth.length);
    if (grown.length) {
      charts.push(lines('Acquisitions of one lock by more and more clients (logarithmic)',
        'Acquisitions a second: ' + grown.map((it) => it.name + ' ' + it.growth.map((at) => whole(at.acquisitionsPerSecond) + ' with ' + at.clients).join(', ')).join('; '),
        grown, (it) => it.growth.map((at) => ({ x: at.clients, y: at.acquisitionsPerSecond })), 'clients', 'a second'));
      charts.push(lines('Commands for each acquisition by more and more clients (logarithmic)',
        'Commands for each acquisition: ' + grown.map((it) => it.name + ' ' + it.growth.map((at) => at.commandsPerAcquisition.toFixed(1) + ' with ' + at.clients).join(', ')).join('; '),
        grown, (it) => it.growth.map((at) => ({ x: at.clients, y: at.commandsPerAcquisition })), 'clients', 'commands'));
    }
    section(announce('charts', 'Speed as charts'), 'Speed as charts', el('div', { class: 'charts' }, ...charts));
    charts.forEach((chart) => chart.draw());
  }
  const redrawAll = (isDark) => drawn.forEach((chart) => redraw(chart, isDark));
  dark.addEventListener('change', () => redrawAll(dark.matches));
  window.addEventListener('beforeprint', () => redrawAll(false));
  window.addEventListener('afterprint', () => redrawAll(dark.matches));

  /** Paper cannot be clicked: what cells would open is printed at the end. */
  function appendix() {
    const parts = [];
    const time = (millis) => (millis === undefined ? '–' : seconds(millis));
    for (const strategy of faults ? faults.strategies : []) {
      const shown = strategy.cells.map((cell, i) => ({ cell: cell, fault: faults.faults[i] }))
        .filter((it) => !['DOES_NOT_APPLY', 'NOT_RUN'].includes(it.cell.outcome) && it.cell.verdict !== 'SAFE');
      if (shown.length) {
        parts.push(table('Evidence of what is not safe: ' + strategy.label + (strategy.specimen ? ', a specimen' : ''),
          ['Fault', 'Verdict', 'Two holders at once', 'Nobody had it', 'Stale writes: plain store / with tokens / refused', 'Holder told', 'Next holder', 'More'],
          shown.map(({ cell, fault }) => {
            const evidence = cell.evidence;
            return evidence ? [fault.id, word(cell), seconds(evidence.twoHoldersMillis), seconds(evidence.nobodyMillis) + (evidence.unserved ? ', to the end' : ''),
              [evidence.staleWrites, evidence.staleFencedWrites, evidence.refusedWrites].join(' / '), time(evidence.toldMillis), time(evidence.nextHolderMillis),
              [declared(cell, strategy), evidence.leftBehind.length ? 'Keys left behind: ' + evidence.leftBehind.join(', ') + '.' : '',
                evidence.finding ? 'The checker: ' + evidence.finding + '.' : ''].filter((it) => it).join(' ')]
              : [fault.id, word(cell), '', '', '', '', '', cell.reason];
          }), [false, false, true, true, true, true, true, false]));
      }
    }
    for (const strategy of report.strategies.filter((it) => it.conformance)) {
      const skipped = new Map();
      const broken = [];
      for (const rule of strategy.conformance.rules) {
        const number = rule.chapter + '.' + rule.number;
        if (rule.outcome === 'FAILED') {
          broken.push(['broken', number, [...sentence(rule), el('small', {}, ' ' + rule.message)]]);
        } else if (rule.outcome === 'SKIPPED') {
          skipped.set(rule.message, [...(skipped.get(rule.message) || []), number]);
        }
      }
      const rows = [...broken, ...[...skipped].map(([reason, numbers]) => ['skipped', numbers.join(', '), reason])];
      if (rows.length) {
        parts.push(table('Rules that are broken or skipped: ' + strategy.name, ['Outcome', 'Rule', 'What it demands, or why it is skipped'], rows));
      }
    }
    if (parts.length) {
      main.append(el('section', { id: 'appendix', class: 'paper', 'aria-labelledby': 'appendix-title' }, el('h2', { id: 'appendix-title' }, 'Evidence'), ...parts));
    }
  }
  appendix();

  nav.append(el('ul', {}, ...contents.map(([id, title]) => el('li', {}, el('a', { href: '#' + id }, title)))));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) {
      dialog.close();
    }
  });
}());
