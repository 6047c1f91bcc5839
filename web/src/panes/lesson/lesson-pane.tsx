// SPDX-License-Identifier: Apache-2.0
// A lesson of the tour: what it is about, what to do in the panes beside it, and a question whose
// answers are held against what these show.
import { useEffect, useState } from 'preact/hooks';
import { galleryEntry } from '../../model/gallery.js';
import { isOpen, kLessons, type Task, wordsOf } from '../../model/tour.js';
import { reveal, showPreset } from '../../state/layout.js';
import {
  answered, beginAgain, facts, followTour, goToLesson, lesson, openLesson, progress, tasksDone,
} from '../../state/tour.js';
import '../../style/lesson.css';
import { Pane } from '../pane.js';

const isAnswered = (id: string): boolean => progress.value.answered.includes(id);

function Lessons() {
  const { lesson: now } = progress.value;
  return (
    <nav class="lessons" aria-label="Lessons">
      {kLessons.map(({ id, title }, i) => (
        <button
          key={id} type="button" class="small" data-testid={`lesson-${i + 1}`} title={title}
          aria-current={i === now ? 'step' : undefined}
          aria-label={`Lesson ${i + 1}, ${title}${isAnswered(id) ? ', done' : ''}`}
          onClick={() => goToLesson(i)}
        >
          {i + 1}{isAnswered(id) ? <span aria-hidden="true"> ✓</span> : null}
        </button>
      ))}
    </nav>
  );
}

function TaskLine({ task, state }: { task: Task; state: 'done' | 'now' | 'later' }) {
  const mark = { done: '✓', now: '▸', later: '·' }[state];
  return (
    <li class={`task task-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span class="mark" aria-hidden="true">{mark}</span>
      <span>
        {task.text}
        {state === 'done' ? <span class="visually-hidden"> Done.</span> : null}
      </span>
      {state === 'now' ? (
        <button
          type="button" class="small" data-testid="show-pane"
          onClick={() => {
            // The pane may be behind a tab. It has to be drawn before it can be focused.
            reveal(task.pane);
            setTimeout(() =>
              document.querySelector<HTMLElement>(`[data-pane="${task.pane}"]`)?.focus());
          }}
        >
          Show
        </button>
      ) : null}
    </li>
  );
}

function Tasks() {
  // In order: a task counts only when those before it are done.
  const done = tasksDone.value;
  return (
    <ol class="tasks" data-testid="lesson-tasks">
      {lesson.value.tasks.map((task, i) => (
        <TaskLine
          key={task.text} task={task} state={i < done ? 'done' : i === done ? 'now' : 'later'}
        />
      ))}
    </ol>
  );
}

/** What is said of an answer: held against the page at the moment when it is given. */
function verdict(picked: number): { right: boolean; text: string } {
  const choice = lesson.value.choices[picked]!;
  // No list of right answers: each is a statement about what the page shows, which a visitor may
  // have changed.
  const right = choice.holds(facts.value);
  const says = wordsOf(choice.says, facts.value);
  return { right, text: `${right ? 'Yes.' : 'Not so.'} ${says}` };
}

function Question() {
  const { question, choices, id } = lesson.value;
  const [picked, setPicked] = useState<number | undefined>();
  // Kept as it was said, since the page goes on changing.
  const [said, setSaid] = useState<{ right: boolean; text: string } | undefined>();
  const answer = (event: Event): void => {
    event.preventDefault();
    if (picked === undefined) return;
    const given = verdict(picked);
    setSaid(given);
    if (given.right) answered();
  };
  return (
    <form class="question" onSubmit={answer} data-testid="question">
      <fieldset>
        <legend>{question}</legend>
        {choices.map(({ text }, i) => (
          <label key={i}>
            <input
              type="radio" name={`lesson-${id}`} checked={picked === i}
              data-testid={`choice-${i}`} onChange={() => setPicked(i)}
            />
            <span>{wordsOf(text, facts.value)}</span>
          </label>
        ))}
      </fieldset>
      <button
        class="primary small" data-testid="answer" aria-disabled={picked === undefined}
      >
        Answer
      </button>
      <p
        role="status" data-testid="verdict"
        class={`verdict${said ? (said.right ? ' right' : ' wrong') : ''}`}
      >
        {said?.text ?? ''}
      </p>
    </form>
  );
}

function End() {
  const all = kLessons.every(({ id }) => isAnswered(id));
  return all ? (
    <p class="lesson-end" data-testid="tour-done">
      That was the tour. The gallery has more to look at; every pane you have seen is in the
      presets Debug and Vector.{' '}
      <button type="button" class="small" data-testid="tour-again" onClick={beginAgain}>
        Begin again
      </button>
    </p>
  ) : null;
}

function Footer() {
  const { lesson: now } = progress.value;
  return (
    <div class="lesson-footer">
      <button
        type="button" class="small" data-testid="lesson-before" disabled={now === 0}
        onClick={() => goToLesson(now - 1)}
      >
        Before
      </button>
      <button
        type="button" class="small" data-testid="lesson-next"
        disabled={now === kLessons.length - 1} onClick={() => goToLesson(now + 1)}
      >
        Next
      </button>
      <button
        type="button" class="small" data-testid="leave-tour" onClick={() => showPreset('debug')}
      >
        Leave the tour
      </button>
    </div>
  );
}

function Program() {
  const { opens } = lesson.value;
  // A visitor may have opened something else meanwhile; then the lesson offers its program again.
  const isThere = isOpen(lesson.value, facts.value);
  const title = galleryEntry(opens)?.title ?? opens;
  return (
    <p class="lesson-program">
      <button
        type="button" class={isThere ? 'small' : 'primary small'} data-testid="open-lesson"
        onClick={() => void openLesson()}
      >
        {isThere ? 'Open it anew' : 'Begin'}
      </button>{' '}
      <span class="detail">{isThere ? 'is open:' : 'opens'} {title}</span>
    </p>
  );
}

export function LessonPane() {
  useEffect(followTour, []);
  const { id, title, words, tasks } = lesson.value;
  // The question is about what the tasks have shown.
  const canAnswer = tasksDone.value >= tasks.length && isOpen(lesson.value, facts.value);
  return (
    <Pane id="lesson" title={title} note={`${progress.value.lesson + 1} of ${kLessons.length}`}>
      <div class="lesson" tabIndex={0} role="group" aria-label="Lesson">
        <Lessons />
        {words.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
        <Program />
        <Tasks />
        {canAnswer ? <Question key={id} /> : null}
        <End />
        <Footer />
      </div>
    </Pane>
  );
}
