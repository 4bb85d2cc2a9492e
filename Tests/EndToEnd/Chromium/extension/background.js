// Whatever happens goes to the console: the driver reads it there, and the console also keeps what happened before
// the driver was attached to this worker.
const report = (event) => console.log(JSON.stringify(event));

chrome.gcm.onMessage.addListener((message) => report({ message }));
chrome.gcm.onMessagesDeleted.addListener(() => report({ messagesDeleted: true }));
chrome.gcm.onSendError.addListener((sendError) => report({ sendError }));
chrome.instanceID.onTokenRefresh.addListener(() => report({ tokenRefresh: true }));
