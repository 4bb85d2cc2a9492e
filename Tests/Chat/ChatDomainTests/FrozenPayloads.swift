/// What the first version wrote for `ChatEventPayloadTests.events`. Never change a line: journals hold these bytes.
let frozenPayloads: [String] = [
  "8a010c726571756573742d6368617482010c0a04746965721204676f6c648201040a02c3bc30868d93bd8967",  // created
  "9201520a1030303032436142453746304b3030315112047573657218012207477565737420372a054f72646572320548656c"
    + "6c6f3a110a03696f731201641a01702202646528014201754a017352060a0161120131",  // started
  "08021a0c4772c3bcc39f6520f09f918b",  // linePosted
  "1a024772",  // previewTyped
  "8201030a01618201060a0162120132",  // dataUpdated
  "7a016b6a074167656e74204b7003",  // agentJoined
  "0806",  // agentLeft
  "08006002",  // chatEnded
  "",  // expired
  "30868d93bd8967",  // timeToLiveExtended
  "20d804",  // served
  "2a0263312008",  // cometSubscribed
  "2a0263312000",  // cometConnected
  "2a0263312008580a",  // cometUnsubscribed
  "2a0263312000580a",  // cometDetached
  "2a0263312008580a6002",  // customerAbsent
  "",  // customerReturned
  "1a16637573746f6d6572206973206e6f74206f6e6c696e65",  // absenceNoted
  "1a12637573746f6d6572206973206f6e6c696e65",  // returnNoted
  "3804500a500c50d80430868d93bd8967",  // pushDelayStarted
  "200e980101",  // lineRemembered
  "3804",  // pushDelayCancelled
  "4012380448021a164e6577206d6573736167652066726f6d204167656e74500a500c",  // pushRequested
  "4012",  // pushHandedOver
  "a201050802120173",  // erased
  "2008",  // positionStated
  "c202190a03696f731201641a01702202646528013206737562207c31",  // pushTargetChanged
  "4012900303",  // pushSettled
  "7a016b200e",  // read
  "7a016b6a074167656e74204b70031a0470737374",  // privateNoted
  "7a016d9a03016b",  // agentInvited
  "8a010468656c70",  // deskChanged
  "7a016ba20304736f6c641a0963616c6c206261636baa0303766970",  // wrappedUp
  "0802e2032c0a0266311205612e706e671a09696d6167652f706e6720d8042a1168747470733a2f2f612e746573742f6631",  // filePosted
  "7a016b30868d93bd8967",  // offered
  "7a016b30868d93bd8967e80302",  // offerEnded
]
