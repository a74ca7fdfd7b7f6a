// The clock's words in English.
export default {
  "title": "Clock", "roster": "Roster", "roster.today": "Today", "roster.week": "This week", "roster.none": "Nobody is planned for today.", "name": "Name", "off": "off",
  "wrong": "That PIN is not known. Try again.", "changed": "That does not fit any more. Enter your PIN again.", "refused": "{why}", "locked": "Too many wrong PINs. Try again at {time}.",
  "away.punch": "Nobody can clock in or out until it is back.", "away.shut": "No clocking now: a punch has the box's time. Note the time and tell your manager.", "away.now": "There was no answer. Nothing is recorded that you were not told. Try again.",
  "answer": "{what} {time} – {how}", "did.CLOCK_IN": "in", "did.CLOCK_OUT": "out", "did.BREAK_START": "break from", "did.BREAK_END": "back",
  "do.CLOCK_IN": "In", "do.CLOCK_OUT": "Out", "do.BREAK_START": "Break", "do.BREAK_END": "Back",
  "status.ON_TIME": "on time", "status.LATE": "late", "status.EARLY": "early", "busy": "One moment…",
  "state.OUT": "Not here yet", "state.IN": "Here since {time}", "state.BREAK": "On a break; here since {time}",
  "shift": "Your shift", "shift.none": "none today", "worked": "Worked", "break": "Breaks", "not.me": "That is not me",
};
