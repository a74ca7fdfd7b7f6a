// The clock's words in Hindi.
export default {
  "title": "हाज़िरी", "roster": "ड्यूटी चार्ट", "roster.today": "आज", "roster.week": "यह हफ़्ता", "roster.none": "आज किसी की ड्यूटी नहीं है।", "name": "नाम", "off": "छुट्टी",
  "wrong": "यह पिन नहीं मिला। फिर से डालें।", "changed": "यह अब नहीं हो सकता। अपना पिन फिर डालें।", "refused": "{why}", "locked": "बहुत बार गलत पिन। {time} पर फिर कोशिश करें।",
  "away.punch": "जब तक यह वापस न आए, कोई हाज़िरी नहीं लगा सकता।", "away.shut": "अभी हाज़िरी नहीं लगेगी: समय बॉक्स का चलता है। समय लिख लें और मैनेजर को बताएँ।", "away.now": "जवाब नहीं आया। जो आपको बताया नहीं गया, वह दर्ज नहीं है। फिर कोशिश करें।",
  "answer": "{what} {time} – {how}", "did.CLOCK_IN": "आए", "did.CLOCK_OUT": "गए", "did.BREAK_START": "ब्रेक शुरू", "did.BREAK_END": "ब्रेक ख़त्म",
  "do.CLOCK_IN": "आ गया", "do.CLOCK_OUT": "जा रहा हूँ", "do.BREAK_START": "ब्रेक", "do.BREAK_END": "ब्रेक ख़त्म",
  "status.ON_TIME": "समय पर", "status.LATE": "देर से", "status.EARLY": "समय से पहले", "busy": "एक पल…",
  "state.OUT": "अभी नहीं आए", "state.IN": "{time} से यहाँ", "state.BREAK": "ब्रेक पर; {time} से यहाँ",
  "shift": "आपकी शिफ़्ट", "shift.none": "आज नहीं", "worked": "काम", "break": "ब्रेक", "not.me": "यह मैं नहीं हूँ",
};
